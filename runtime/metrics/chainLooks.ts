/** Metrics of what operators say of the blocks that proofs of chains name: the newest day for which they were asked. */
import { Effect, Metric } from "effect"
import { countsOfBlocks, mute, newestLooks } from "../../core/publications/looks/newestLooks.ts"

const blocks = Metric.gauge("plumbline_chain_blocks", {
  description:
    "Blocks that the proofs of the newest asked day name, by what operators say of them; absent before a day was asked for"
})
const silent = Metric.gauge("plumbline_chain_operator_silent", {
  description: "1 if this operator said nothing of the newest asked day's blocks of this chain"
})

/** Looks at the newest document of looks. */
export const ofChainLooks = Effect.gen(function* () {
  const newest = yield* newestLooks
  if (newest === undefined) return
  for (const [state, n] of Object.entries(countsOfBlocks(newest)))
    yield* Metric.update(Metric.withAttributes(blocks, { state }), n)
  for (const { chain, isMute, operator } of mute(newest))
    yield* Metric.update(Metric.withAttributes(silent, { chain, operator }), isMute ? 1 : 0)
})
