/**
 * Proofs of what a recording has of contracts: the demo tells of a chain whose contracts give exactly that. No such chain and no such code
 * exist, and its documents say that they are simulated.
 */
import { createHash } from "node:crypto"
import { Array as Arr, Option, Result, Schema } from "effect"
import { chainIds, evmNodes } from "../../core/plugin/shapes/evmNodes.ts"
import {
  addAccess,
  batchCalls,
  codeCalls,
  mostAsked,
  pinCalls,
  readsOf,
  together
} from "../../core/plugin/shapes/provedViews.ts"
import { type Call, type Exchange, rpcRequest } from "../../core/plugin/Upstream.ts"
import { fromHex, utf8 } from "../../core/proof/bytes.ts"
import type { View } from "../../core/proof/chain/evmRead.ts"
import { bare } from "../../core/proof/chain/hexes.ts"
import {
  type Contract,
  chainOf,
  constantCode,
  type EvmChain,
  executed,
  resultAt,
  slotOfCall,
  tableCode
} from "./evmChain.ts"

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const decoder = new TextDecoder()

const BlockCall = Schema.Struct({
  method: Schema.Literal("eth_getBlockByNumber"),
  params: Schema.Tuple([Schema.Literal("latest"), Schema.Boolean])
})
const blockCallIn = Schema.decodeUnknownOption(Schema.fromJsonString(BlockCall))
const Block = Schema.Struct({
  hash: Schema.String,
  number: Schema.optionalKey(Schema.String),
  timestamp: Schema.String
})
const blockIn = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ result: Block })))

const ViewParam = Schema.Struct({ to: Schema.String, data: Schema.String })
const ViewCall = Schema.Struct({
  method: Schema.Literal("eth_call"),
  params: Schema.Tuple([ViewParam, Schema.Struct({ blockHash: Schema.String })])
})
const Words = Schema.Struct({
  result: Schema.String.check(Schema.isPattern(/^0x([0-9a-fA-F]{64}){1,1000}$/))
})
const orList = <S extends Schema.ConstraintDecoder<unknown>>(one: S) =>
  Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Union([Schema.Array(one), one])))
const viewsIn = orList(ViewCall)
const wordsIn = orList(Words)

const listOf = <A>(one: A | ReadonlyArray<A>): ReadonlyArray<A> => (Array.isArray(one) ? one : [one as A])

/** A batch of views with what they gave. */
interface Batch {
  readonly exchange: Exchange
  readonly views: ReadonlyArray<View>
  readonly results: ReadonlyArray<string>
}

/** The batch that an exchange is, of words and lists of words alone at a block. */
const batchIn = (exchange: Exchange, hash: string): Batch | undefined => {
  const calls = Option.map(viewsIn(exchange.request.body ?? ""), listOf)
  const words = Option.map(wordsIn(decoder.decode(exchange.body)), listOf)
  if (Option.isNone(calls) || Option.isNone(words) || calls.value.length !== words.value.length)
    return undefined
  if (calls.value.some(({ params: [, at] }) => at.blockHash !== hash)) return undefined
  return {
    exchange,
    views: calls.value.map(({ params: [view] }) => view),
    results: words.value.map(({ result }) => result)
  }
}

const isWord = (result: string): boolean => result.length === 66

/** Contracts that give these results: each a table of the words that it is asked for, or one that always gives the same list. */
const contractsOf = (batches: ReadonlyArray<Batch>): ReadonlyMap<string, Contract> => {
  const contracts = new Map<string, Contract & { readonly slots: Map<bigint, bigint> }>()
  for (const { results, views } of batches)
    for (const [at, { data, to }] of views.entries()) {
      const result = results[at] ?? ""
      const code = isWord(result) ? tableCode : constantCode(fromHex(bare(result)))
      const contract = contracts.get(bare(to)) ?? { code, slots: new Map<bigint, bigint>() }
      if (isWord(result) && BigInt(result) > 0n) contract.slots.set(slotOfCall(data), BigInt(result))
      contracts.set(bare(to), contract)
    }
  return contracts
}

/** The number of the chain behind an address; one of a chain that nobody knows where it is none of ours. */
const chainIdOf = (url: string): number => {
  const names = Object.keys(evmNodes) as Array<keyof typeof evmNodes>
  const name = names.find((one) => evmNodes[one].some((node) => node === url))
  return name === undefined ? 1337 : chainIds[name]
}

type AnyCall = Pick<Call<never>, "method" | "params">

/** The exchange that a node of the chain answers these calls with. */
const answered = (chain: EvmChain, like: Exchange, calls: ReadonlyArray<AnyCall>): Exchange => {
  const replies = calls.map(({ method, params }, index) => ({
    jsonrpc: "2.0",
    id: index + 1,
    result: resultAt(chain, method, params)
  }))
  const body = utf8(JSON.stringify(calls.length === 1 ? replies[0] : replies))
  return { ...like, request: rpcRequest(like.request.url, calls), body, sha256: sha256(body) }
}

/** What the views of a batch read, as the chain's nodes say. */
const readsIn = (chain: EvmChain, views: ReadonlyArray<View>) => {
  const reads = readsOf(views)
  addAccess(
    reads,
    views.map((view) => Result.succeed({ accessList: executed(chain, view).accessList }))
  )
  return reads
}

/** The exchanges with a node, and those with the proofs of what it says; the same where something in them is not what a contract gives. */
export const withContracts = (
  url: string,
  exchanges: ReadonlyArray<Exchange>,
  now: number
): ReadonlyArray<Exchange> => {
  const pin = exchanges.find(
    ({ request, status }) => status === 200 && Option.isSome(blockCallIn(request.body ?? ""))
  )
  const block = pin && Option.getOrUndefined(blockIn(decoder.decode(pin.body)))?.result
  if (pin === undefined || block === undefined) return exchanges
  const calls = exchanges.filter(({ request }) => request.body?.includes(block.hash) === true)
  const batches = calls.flatMap((exchange) => batchIn(exchange, block.hash) ?? [])
  const [first] = batches
  if (first === undefined || batches.length !== calls.length) return exchanges
  const chain = chainOf(contractsOf(batches), {
    id: chainIdOf(url),
    number: block.number === undefined ? Math.floor(now / 12_000) : Number(block.number),
    seconds: Number(block.timestamp)
  })
  const all = batches.map(({ views }) => readsIn(chain, views))
  const codes = codeCalls(new Set(together(all).keys()), chain.block.hash)
  return [
    answered(chain, pin, pinCalls(first.views)),
    ...Arr.chunksOf(codes, mostAsked).map((some) => answered(chain, pin, some)),
    ...batches.map(({ exchange, views }, at) => {
      const reads = all[at] ?? new Map()
      const after = batches[at + 1]?.views ?? []
      const { access, proof, values } = batchCalls({ views }, reads, chain.block.hash, after)
      return answered(chain, exchange, [...values, ...proof, ...access])
    }),
    ...exchanges
  ]
}
