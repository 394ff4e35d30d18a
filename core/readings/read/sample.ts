/**
 * The keyless sample of a list of networks: a window that advances by its width every UTC day, so every network gets its
 * turn. It depends only on the day, so restarts and replicas show the same sample.
 */
import { isSubnet } from "../../catalog/kindOf.ts"

/** Limits the many similar subnets in a sample. */
export const subnetsShown = 3

/**
 * At most `size` symbols, at most a quarter of them (but at least one), and at most three subnets. `symbols` must be
 * sorted, and so is the result. `today` is the number of the UTC day. Those of a smaller sample (`first`)
 * are among them, as far as there is room; the others take turns in the rest of it.
 */
export const sample = (
  symbols: ReadonlyArray<string>,
  size: number,
  today: number,
  first: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const room = Math.min(size, Math.max(Math.floor(symbols.length / 4), Math.min(symbols.length, 1)))
  const networks = symbols.filter((symbol) => !isSubnet(symbol))
  const subnets = symbols.filter((symbol) => isSubnet(symbol))
  // Beside networks, subnets get a quarter of the room at most.
  const beside = networks.length === 0 ? room : Math.floor(room / 4)
  const nSubnets = Math.min(subnets.length, subnetsShown, beside)
  const chosen = new Set([
    ...window(networks, Math.min(networks.length, room - nSubnets), today, first),
    ...window(subnets, nSubnets, today, first)
  ])
  return symbols.filter((symbol) => chosen.has(symbol))
}

/** `width` members of a ring: those of `first`, and a window that advances every day by the rest of the width. */
const window = (
  ring: ReadonlyArray<string>,
  width: number,
  today: number,
  first: ReadonlyArray<string>
): ReadonlySet<string> => {
  const before = first.filter((symbol) => ring.includes(symbol)).slice(0, width)
  const chosen = new Set(before)
  const advance = width - before.length
  for (let n = 0; chosen.size < width; n++) chosen.add(ring[(today * advance + n) % ring.length] ?? "")
  return chosen
}
