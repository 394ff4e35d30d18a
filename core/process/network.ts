/**
 * Originating networks, by which calls, grants, connections and turns are counted: an IPv4 address or an IPv6 /64, and the wide network
 * around it.
 */
import { Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { LRUCache } from "lru-cache"

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

/** So many times as much as one network may have at a time, the wide one around it may have. */
export const wideFactor = 5

/** The same of what is counted over minutes and days: it serves many customers, and a few of them must not use it up for the others. */
export const wideQuotaFactor = 20

/** The networks that a call, a key or a grant of this one counts for, each with how many times the quota of one it has. */
export const countedFor = (network: string): ReadonlyArray<readonly [network: string, factor: number]> => {
  const wide = wideOf(network)
  return wide === network
    ? [[network, 1]]
    : [
        [network, 1],
        [wide, wideQuotaFactor]
      ]
}
