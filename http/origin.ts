/** The originating network of a request: what limits and grants are counted by. */
import { isIP } from "node:net"

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
  if (networks.size >= mostKept) networks.clear()
  const network = makeNetwork(address)
  networks.set(address, network)
  return network
}

const mostKept = 10_000
const networks = new Map<string, string>()

const makeNetwork = (address: string): string => {
  const plain = address.split("%")[0] ?? ""
  if (isIP(plain) !== 6) return plain
  const groups = groupsOf(plain)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  const [high = 0, low = 0] = groups.slice(6)
  if (mapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".")
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`
}

const withoutPort = (entry: string): string =>
  /^\[(.*)\](:\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry

/** The eight groups of a valid IPv6 address. */
const groupsOf = (address: string): ReadonlyArray<number> => {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const text =
    dotted === null
      ? address
      : `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
  const [left = "", right] = text.split("::")
  const parse = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))
  const head = parse(left)
  if (right === undefined) return head
  const tail = parse(right)
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}
