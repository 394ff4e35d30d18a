/** What a run read of Substrate and Cosmos chains with their proofs, out of its kept answers. */
import { Effect } from "effect"
import { cosmosReads } from "./chain/cosmos.ts"
import { substrateReads } from "./chain/substrate.ts"
import { calledBy } from "./rpcCalls.ts"

/** The proofs that nodes told a run; `forgotten` if an answer that may have one is no longer kept. */
export const chainReads = Effect.fn("Log.chainReads")(function* (run: string) {
  const { answers, forgotten } = yield* calledBy(run)
  const calls = answers.flat()
  return { reads: [...substrateReads(calls), ...cosmosReads(calls)], forgotten, hasProof: answers.length > 0 }
})
