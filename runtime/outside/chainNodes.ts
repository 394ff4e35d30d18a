/** Nodes of chains over HTTP: which block each has at a height, once it is final by the node's own word. */
import { Effect, Layer, Option, Schema } from "effect"
import { type ChainNode, ChainNodes, type NodeSilent } from "../../core/publications/looks/ChainNodes.ts"
import { beaconFinality } from "./beaconFinality.ts"
import { call, demandChain, silent } from "./chainCall.ts"
import { cometFinality } from "./cometFinality.ts"

const Hash = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/))
const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,16}$/))

const bare = (hash: string): string => hash.replace(/^0x/, "").toLowerCase()

const demandFinal = (newest: number, number: number) =>
  newest < number
    ? Effect.fail(silent(`block ${number} is not final: the newest that is has number ${newest}`))
    : Effect.void

const Numbered = Schema.Struct({ number: Quantity })

const substrate = Effect.fnUntraced(function* (node: ChainNode, number: number) {
  const genesis = yield* call(node, "chain_getBlockHash", [0], Hash)
  yield* demandChain(`polkadot:${bare(genesis).slice(0, 32)}` === node.chain)
  const head = yield* call(node, "chain_getFinalizedHead", [], Hash)
  const header = yield* call(node, "chain_getHeader", [head], Numbered)
  yield* demandFinal(Number(header.number), number)
  return bare(yield* call(node, "chain_getBlockHash", [number], Hash))
})

const EvmBlock = Schema.Struct({ number: Quantity, hash: Hash })

const evm = Effect.fnUntraced(function* (node: ChainNode, number: number) {
  const id = yield* call(node, "eth_chainId", [], Quantity)
  yield* demandChain(`eip155:${BigInt(id)}` === node.chain)
  const final = yield* call(node, "eth_getBlockByNumber", ["finalized", false], EvmBlock)
  yield* demandFinal(Number(final.number), number)
  const block = yield* call(node, "eth_getBlockByNumber", [`0x${number.toString(16)}`, false], EvmBlock)
  return Number(block.number) === number ? bare(block.hash) : yield* silent("it gave another block")
})

const Commit = Schema.Struct({
  signed_header: Schema.Struct({
    header: Schema.Struct({ chain_id: Schema.String, height: Schema.String }),
    commit: Schema.Struct({
      height: Schema.String,
      block_id: Schema.Struct({ hash: Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{64}$/)) })
    })
  })
})

/** A block that is committed is final. */
const cosmos = Effect.fnUntraced(function* (node: ChainNode, number: number) {
  const { signed_header } = yield* call(node, "commit", { height: String(number) }, Commit)
  const { commit, header } = signed_header
  yield* demandChain(`cosmos:${header.chain_id}` === node.chain)
  return header.height === String(number) && commit.height === String(number)
    ? bare(commit.block_id.hash)
    : yield* silent("it gave another block")
})

/** How nodes of chains are asked, by the namespace of the chain's name. */
const byNamespace: Readonly<
  Record<string, (node: ChainNode, number: number) => Effect.Effect<string, NodeSilent>>
> = { polkadot: substrate, eip155: evm, cosmos }

const namespaceOf = (chain: string): string => chain.split(":")[0] ?? ""

/** Whether nodes of a chain with this name can be asked. */
export const canAsk = (chain: string): boolean => Object.hasOwn(byNamespace, namespaceOf(chain))

/** As the port has it. */
export const hashAt = Effect.fn("ChainNodes.hashAt")(function* (node: ChainNode, number: number) {
  const ask = byNamespace[namespaceOf(node.chain)]
  return ask === undefined ? yield* silent("its chain cannot be asked") : yield* ask(node, number)
})

/** How nodes are asked who signed a block, by the namespace of the chain's name. */
const finalities: Readonly<Record<string, typeof beaconFinality>> = {
  cosmos: cometFinality,
  eip155: beaconFinality
}

/** As the port has it. */
const finalityAt = Effect.fn("ChainNodes.finalityAt")(function* (node: ChainNode, number: number) {
  const ask = finalities[namespaceOf(node.chain)]
  return ask === undefined ? Option.none() : yield* ask(node, number)
})

export const layer = (all: ReadonlyArray<ChainNode>): Layer.Layer<ChainNodes> =>
  Layer.succeed(ChainNodes, ChainNodes.of({ all, hashAt, finalityAt }))
