/** What a run read of Substrate chains with their proofs, out of its kept answers. */
import { Effect, Option, Schema } from "effect"
import type { ReadOfChain } from "../../proof/chain/proofOfRead.ts"
import { type Called, calledBy } from "./rpcCalls.ts"

const Text = Schema.String

const Header = Schema.Struct({
  parentHash: Text,
  number: Text,
  stateRoot: Text,
  extrinsicsRoot: Text,
  digest: Schema.Struct({ logs: Schema.Array(Text) })
})
const headerIn = Schema.decodeUnknownOption(Header)
const proofIn = Schema.decodeUnknownOption(Schema.Struct({ proof: Schema.Array(Text) }))
const keysIn = Schema.decodeUnknownOption(Schema.Tuple([Schema.Array(Text), Text]))

/** A proof that a node told, with the keys that it was asked for. */
export interface ChainRead extends ReadOfChain {
  readonly keys: ReadonlyArray<string>
}

const readOf = (proof: Called, calls: ReadonlyArray<Called>): ReadonlyArray<ChainRead> => {
  const named = keysIn(proof.params)
  const nodes = proofIn(proof.result)
  if (proof.method !== "state_getReadProof" || Option.isNone(named) || Option.isNone(nodes)) return []
  const [keys, hash] = named.value
  const beside = calls.filter(({ url }) => url === proof.url)
  const header = beside.flatMap(({ method, params, result }) =>
    method === "chain_getHeader" && params[0] === hash ? Option.toArray(headerIn(result)) : []
  )[0]
  const genesis = beside.find(
    ({ method, params }) => method === "chain_getBlockHash" && params[0] === 0
  )?.result
  return header === undefined || typeof genesis !== "string"
    ? []
    : [{ keys, hash, header, genesis, nodes: nodes.value.proof }]
}

/** The proofs that nodes told a run; `forgotten` if an answer that may have one is no longer kept. */
export const chainReads = Effect.fn("Log.chainReads")(function* (run: string) {
  const { answers, forgotten } = yield* calledBy(run)
  const calls = answers.flat()
  return { reads: calls.flatMap((call) => readOf(call, calls)), forgotten, hasProof: answers.length > 0 }
})
