/**
 * The keyless sample of a list of networks: a window that advances by its width every UTC day, so every network gets its
 * turn. It depends only on the day, so restarts and replicas show the same sample.
 */
import { isSubnet } from "../../catalog/kindOf.ts"

/** Limits the many similar subnets in a sample. */
export const subnetsShown = 3

/** Whom a sample prefers. */
export interface Preferred {
  /** Those of a smaller sample: they are in this one, as far as there is room. */
  readonly first?: ReadonlyArray<string>
  /** Networks with a live series come before those without: a sample of a list should show what the list is good for. */
  readonly isLive?: (symbol: string) => boolean
}

/**
 * At most `size` symbols, at most a quarter of them (but at least one), and at most three subnets. `symbols` must be
 * sorted, and so is the result. `today` is the number of the UTC day. Who is not preferred takes turns in the room that is left.
 */
export const sample = (
  symbols: ReadonlyArray<string>,
  size: number,
  today: number,
  preferred: Preferred = {}
): ReadonlyArray<string> => {
  const room = Math.min(size, Math.max(Math.floor(symbols.length / 4), Math.min(symbols.length, 1)))
  const networks = symbols.filter((symbol) => !isSubnet(symbol))
  const subnets = symbols.filter((symbol) => isSubnet(symbol))
  // Beside networks, subnets get a quarter of the room at most.
  const beside = networks.length === 0 ? room : Math.floor(room / 4)
  const nSubnets = Math.min(subnets.length, subnetsShown, beside)
  const chosen = new Set([
    ...inTurn(networks, Math.min(networks.length, room - nSubnets), today, preferred),
    ...inTurn(subnets, nSubnets, today, preferred)
  ])
  return symbols.filter((symbol) => chosen.has(symbol))
}

/** `width` members of a ring, at most all: those preferred, and a window that advances every day by the rest of the width. */
export const inTurn = (
  ring: ReadonlyArray<string>,
  width: number,
  today: number,
  { first = [], isLive = () => true }: Preferred = {}
): ReadonlySet<string> => {
  const chosen = new Set(first.filter((symbol) => ring.includes(symbol)).slice(0, width))
  for (const part of [ring.filter(isLive), ring.filter((symbol) => !isLive(symbol))]) {
    const advance = width - chosen.size
    for (let n = 0; n < part.length && chosen.size < width; n++)
      chosen.add(part[(today * advance + n) % part.length] ?? "")
  }
  return chosen
}
