/** What a run read of EVM chains with their proofs, out of its kept answers. */
import { Effect, Option, Schema } from "effect"
import type { ToldBlock } from "../../proof/chain/evmHeader.ts"
import type { ToldState, View } from "../../proof/chain/evmRead.ts"
import { type Called, calledBy } from "./rpcCalls.ts"

const Text = Schema.String
const Nodes = Schema.Array(Text)

const blockIn = Schema.decodeUnknownOption(
  Schema.StructWithRest(Schema.Struct({ hash: Text }), [Schema.Record(Text, Schema.Unknown)])
)
const chainIn = Schema.decodeUnknownOption(Text.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,15}$/)))
const proofIn = Schema.decodeUnknownOption(
  Schema.Struct({ accountProof: Nodes, storageProof: Schema.Array(Schema.Struct({ proof: Nodes })) })
)
const codeIn = Schema.decodeUnknownOption(Text)
const viewIn = Schema.decodeUnknownOption(Schema.Struct({ to: Text, data: Text }))
const atIn = Schema.decodeUnknownOption(Schema.Struct({ blockHash: Text }))

const ofMethod = (calls: ReadonlyArray<Called>, method: string) =>
  calls.filter((call) => call.method === method)

/** The calls of a method at a block. */
const at = (calls: ReadonlyArray<Called>, method: string, hash: unknown) =>
  ofMethod(calls, method).filter(
    ({ params }) => Option.getOrUndefined(atIn(params.at(-1)))?.blockHash === hash
  )

/** What was told of a block's state, and the calls that were made at it. */
interface ReadOfBlock extends ToldState {
  readonly views: ReadonlyArray<View>
}

/** What was told of the state of a block that one answer names together with its chain. */
const stateOf = (block: ToldBlock, chain: string, calls: ReadonlyArray<Called>): ReadOfBlock => ({
  block,
  chain: `eip155:${BigInt(chain)}`,
  nodes: at(calls, "eth_getProof", block["hash"]).flatMap(({ result }) =>
    Option.toArray(proofIn(result)).flatMap(({ accountProof, storageProof }) => [
      ...accountProof,
      ...storageProof.flatMap(({ proof }) => proof)
    ])
  ),
  codes: at(calls, "eth_getCode", block["hash"]).flatMap(({ result }) => Option.toArray(codeIn(result))),
  views: at(calls, "eth_call", block["hash"]).flatMap(({ params }) => Option.toArray(viewIn(params[0])))
})

/** The blocks whose state nodes proved to a run, as far as these views read it; `forgotten` if an answer that may prove it is no longer kept. */
export const evmReads = Effect.fn("Log.evmReads")(function* (run: string, views: ReadonlyArray<View>) {
  const { answers, forgotten } = yield* calledBy(
    run,
    views.map(({ to }) => to)
  )
  const calls = answers.flat()
  const reads = answers.flatMap((answer) => {
    const [block] = ofMethod(answer, "eth_getBlockByNumber").flatMap(({ result }) =>
      Option.toArray(blockIn(result))
    )
    const [chain] = ofMethod(answer, "eth_chainId").flatMap(({ result }) => Option.toArray(chainIn(result)))
    return block === undefined || chain === undefined ? [] : [stateOf(block, chain, calls)]
  })
  return { reads, forgotten, hasProof: ofMethod(calls, "eth_getProof").length > 0 }
})
