/** The originating network of a request, by which limits and grants are counted. */
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import { Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { LRUCache } from "lru-cache"

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

/** The network of an address: an IPv4 address itself (even if mapped into IPv6), or the first 64 bits of an IPv6 address. */
export const networkOf = (address: string): string => {
  const cached = networks.get(address)
  if (cached !== undefined) return cached
  const network = makeNetwork(address)
  networks.set(address, network)
  return network
}

const networks = new LRUCache<string, string>({ max: 10_000 })

const makeNetwork = (address: string): string => {
  const plain = address.split("%")[0] ?? ""
  const parsed = NetAddress.ipv6FromString(plain)
  if (Result.isFailure(parsed)) return plain
  const mapped = NetAddress.fromIpv4Mapped(parsed.success)
  if (Option.isSome(mapped)) return NetAddress.formatIp(mapped.value)
  const [a, b, c, d] = NetAddress.ipv6ToSegments(parsed.success).map((segment) => segment.toString(16))
  return `${a}:${b}:${c}:${d}::/64`
}

const withoutPort = (entry: string): string =>
  /^\[(.*)\](:\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry

/**
 * The wide network around an originating one, as `networkOf` gives it: the /16 of an IPv4 address, or the /32 of an IPv6 one. Whoever
 * has many addresses has them in few of these.
 */
export const wideOf = (network: string): string => {
  const [a, b, ...rest] = network.split(".")
  if (rest.length > 0) return `${a}.${b}.0.0/16`
  const [first, second] = network.split(":")
  return second === undefined ? network : `${first}:${second}::/32`
}

/** So many times as much as one network may have, the wide one around it may have. */
export const wideFactor = 5

export const isNodeRequest = (source: object): source is IncomingMessage => "socket" in source

/** The originating network of a request. */
export const networkOfRequest = (source: object, trustProxy: number): string => {
  if (!isNodeRequest(source)) return ""
  const forwarded = source.headers["x-forwarded-for"]
  return networkOf(
    addressOf(source.socket.remoteAddress, typeof forwarded === "string" ? forwarded : undefined, trustProxy)
  )
}
