/** The originating network of a request, by which limits and grants are counted. */
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import { networkOf } from "../../core/process/network.ts"

/**
 * The client address behind `hops` proxies of ours. Each proxy appends the address it saw to `X-Forwarded-For`, so only
 * that many entries from the right can be trusted. An invalid entry ends the search at the last valid one.
 */
export const addressOf = (
  remote: string | undefined,
  forwardedFor: string | undefined,
  hops: number
): string => {
  let address = remote ?? ""
  const entries = forwardedFor === undefined || hops === 0 ? [] : forwardedFor.split(",").slice(-hops)
  for (const entry of entries.reverse()) {
    const plain = withoutPort(entry.trim())
    if (isIP(plain) === 0) break
    address = plain
  }
  return address
}

const withoutPort = (entry: string): string =>
  /^\[(.*)\](:\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry

export const isNodeRequest = (source: object): source is IncomingMessage => "socket" in source

/** The originating network of a request. */
export const networkOfRequest = (source: object, trustProxy: number): string => {
  if (!isNodeRequest(source)) return ""
  const forwarded = source.headers["x-forwarded-for"]
  return networkOf(
    addressOf(source.socket.remoteAddress, typeof forwarded === "string" ? forwarded : undefined, trustProxy)
  )
}
