/** The originating network of a request: whom grants and keyless limits are counted for. */

/** The four bytes of a dotted IPv4 address. */
const ipv4 = (text: string): ReadonlyArray<number> | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return
  return parts.map(Number)
}

/** The eight groups of an IPv6 address, with `::`, an embedded IPv4 tail and a zone understood. */
const ipv6 = (text: string): ReadonlyArray<number> | undefined => {
  const [address = ""] = text.split("%")
  const halves = address.split("::")
  if (halves.length > 2) return
  const groups = (half: string): ReadonlyArray<number> | undefined => {
    if (half === "") return []
    const parts = half.split(":")
    const out: Array<number> = []
    for (const [place, part] of parts.entries()) {
      const tail = place === parts.length - 1 ? ipv4(part) : undefined
      if (tail !== undefined) {
        const [a = 0, b = 0, c = 0, d = 0] = tail
        out.push(a * 256 + b, c * 256 + d)
      } else if (/^[0-9a-f]{1,4}$/i.test(part)) out.push(Number.parseInt(part, 16))
      else return
    }
    return out
  }
  const head = groups(halves[0] ?? "")
  const tail = halves.length === 2 ? groups(halves[1] ?? "") : []
  if (head === undefined || tail === undefined) return
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return
  return [...head, ...new Array<number>(missing).fill(0), ...tail]
}

/**
 * The network that an address counts for: an IPv4 address itself, of an IPv6 address its /64 (a household gets one),
 * of an IPv4 address written as IPv6 (`::ffff:a.b.c.d`) that IPv4 address. Undefined for what is no address.
 */
export const networkOf = (address: string): string | undefined => {
  const v4 = ipv4(address)
  if (v4 !== undefined) return v4.join(".")
  const v6 = ipv6(address)
  if (v6 === undefined) return undefined
  const mapped = v6.slice(0, 5).every((group) => group === 0) && v6[5] === 0xffff
  const [high = 0, low = 0] = v6.slice(6)
  if (mapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".")
  return `${v6
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`
}

/**
 * The address of the client: with `hops` trusted proxies in front, the `hops`-th entry from the right of
 * `X-Forwarded-For`, else the peer itself. Entries further left were written by the client and count for nothing.
 */
export const clientAddress = (peer: string, forwardedFor: string | undefined, hops: number): string => {
  if (hops < 1 || forwardedFor === undefined) return peer
  const entries = forwardedFor.split(",").map((entry) => entry.trim())
  const entry = entries[entries.length - hops]
  // Fewer entries than proxies: the request came past one of them, so nothing in the header can be believed.
  return entry !== undefined && networkOf(entry) !== undefined ? entry : peer
}
