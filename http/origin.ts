/** The originating network of a request: what limits and grants are counted by. */
import { isIP } from "node:net"
import { Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { LRUCache } from "lru-cache"

/**
 * The address a request came from, through `hops` proxies of ours: each adds the address it saw to the right end of
 * `X-Forwarded-For`, so only that many entries, counted from the right, can be believed. An entry that is no address
 * ends the search at the last one that was.
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

/** The network of an address: an IPv4 address itself (also one mapped into IPv6), of IPv6 its first 64 bits. */
export const networkOf = (address: string): string => {
  const kept = networks.get(address)
  if (kept !== undefined) return kept
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
