/**
 * The keyless sample of a list of networks: a window that moves on by its own width each UTC day, so that every network
 * is shown in its turn. The day alone decides; a restart or another replica shows the same.
 */
import { subnetSymbols } from "../../catalog/Catalog.ts"

/** Subnets are many and alike: no sample shows more of them. */
export const subnetsShown = 3

const isSubnet = new Set(subnetSymbols)

/**
 * At most `size` of the symbols and at most a quarter of them, but one where there is any; at most three subnets.
 * `symbols` is sorted, and so is what comes back. `today` is the number of the UTC day.
 */
export const sample = (
  symbols: ReadonlyArray<string>,
  size: number,
  today: number
): ReadonlyArray<string> => {
  const room = Math.min(size, Math.max(Math.floor(symbols.length / 4), Math.min(symbols.length, 1)))
  const networks = symbols.filter((symbol) => !isSubnet.has(symbol))
  const subnets = symbols.filter((symbol) => isSubnet.has(symbol))
  // Beside networks, subnets get a quarter of the room at most.
  const beside = networks.length === 0 ? room : Math.floor(room / 4)
  const nSubnets = Math.min(subnets.length, subnetsShown, beside)
  const shown = new Set([
    ...window(networks, Math.min(networks.length, room - nSubnets), today),
    ...window(subnets, nSubnets, today)
  ])
  return symbols.filter((symbol) => shown.has(symbol))
}

const window = (ring: ReadonlyArray<string>, width: number, today: number): ReadonlyArray<string> =>
  Array.from({ length: width }, (_, n) => ring[(today * width + n) % ring.length] ?? "")
