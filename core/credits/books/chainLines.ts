/** The transfers to an address in the final blocks of some time. */
import { Effect } from "effect"
import type { Chain } from "../chain/Chain.ts"
import { transferName } from "./suspense.ts"

/** Whole UTC days, as epoch milliseconds; `to` is exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Blocks per request. */
const chunk = 1000n

/** The first final block at or after a time; one after the newest if there is none. */
const firstBlock = Effect.fnUntraced(function* (chain: Chain, at: number, newest: bigint) {
  let [low, high] = [0n, newest + 1n]
  while (low < high) {
    const middle = (low + high) / 2n
    const { time } = yield* chain.block(middle)
    if (time.getTime() < at) low = middle + 1n
    else high = middle
  }
  return low
})

export const chainLines = Effect.fnUntraced(function* (chain: Chain, { from, to }: Range) {
  const { number: newest } = yield* chain.block("finalized")
  const end = yield* firstBlock(chain, to, newest)
  const lines = []
  for (let at = yield* firstBlock(chain, from, newest); at < end; at += chunk) {
    const last = at + chunk < end ? at + chunk - 1n : end - 1n
    for (const { logIndex, tx, units } of yield* chain.transfers(at, last)) {
      // Anyone can send nothing, and nothing is not booked.
      if (units > 0n) lines.push({ name: transferName({ tx, logIndex }), tx, units })
    }
  }
  return lines
})
