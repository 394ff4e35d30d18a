/** What a run read of Substrate chains with their proofs. */
import { Option, Schema } from "effect"
import { fromUtf8 } from "../../../proof/bytes.ts"
import { blockRead, proofOfRead, type ReadOfChain } from "../../../proof/chain/proofOfRead.ts"
import { provedState } from "../../../proof/chain/readProof.ts"
import { ScaleReader } from "../../../proof/chain/scale.ts"
import { runtimeKey, timestampKey } from "../../../proof/chain/substrateKeys.ts"
import type { ChainEvidence, NumberRead } from "../../../proof/chainEvidence.ts"
import { isNumberOf, numberIn } from "../../../proof/checkChainEvidence.ts"
import type { RowLeaf } from "../../../proof/leaf.ts"
import type { Called } from "../rpcCalls.ts"
import { type ChainRead, orNothing, type Proved, provedOf } from "./read.ts"

const Header = Schema.Struct({
  parentHash: Schema.String,
  number: Schema.String,
  stateRoot: Schema.String,
  extrinsicsRoot: Schema.String,
  digest: Schema.Struct({ logs: Schema.Array(Schema.String) })
})
const headerIn = Schema.decodeUnknownOption(Header)
const proofIn = Schema.decodeUnknownOption(Schema.Struct({ proof: Schema.Array(Schema.String) }))
const keysIn = Schema.decodeUnknownOption(Schema.Tuple([Schema.Array(Schema.String), Schema.String]))

const Item = Schema.Struct({
  method: Schema.Literal("state_getStorage"),
  params: Schema.Array(Schema.String)
})
const itemIn = Schema.decodeUnknownOption(Schema.fromJsonString(Item))

/** The key of storage in an address that a collector gives for a value; undefined where it has none. */
const keyIn = (address: string): string | undefined => {
  const [, fragment = ""] = address.split("#", 2)
  try {
    return Option.getOrUndefined(itemIn(decodeURIComponent(fragment)))?.params[0]?.toLowerCase()
  } catch {
    return undefined
  }
}

const decimals = Array.from({ length: 25 }, (_, n) => n)

/** How numbers are read of storage, the likeliest first. */
const numberReads: ReadonlyArray<NumberRead> = [
  { as: "unsigned", decimals: 0 },
  { as: "flags", decimals: 0 },
  { as: "entries", width: 32, decimals: 0 },
  ...decimals.slice(1).map((n): NumberRead => ({ as: "unsigned", decimals: n })),
  ...[8, 16].flatMap((width) => decimals.map((n): NumberRead => ({ as: "halves", width, decimals: n })))
]

/** The proof of one value in what a node told; undefined where it does not prove it. */
const proved = (read: ReadOfChain, key: string, leaf: RowLeaf): Proved | undefined =>
  orNothing(() => {
    const value = provedState(read).valueAt(key) ?? null
    const form = numberReads.find((one) => {
      const number = numberIn(one, value)
      return number !== undefined && isNumberOf(number, leaf)
    })
    if (form === undefined) return undefined
    const proof = proofOfRead(read, [key, `0x${timestampKey}`, `0x${runtimeKey}`], leaf.simulated === true)
    const evidence: ChainEvidence = { proof, key: key.slice(2), ...form }
    return provedOf(evidence, proof, leaf)
  })

/** What a node told of a block, with the keys that it was asked for. */
const toldOf = (proof: Called, calls: ReadonlyArray<Called>) => {
  const named = keysIn(proof.params)
  const nodes = proofIn(proof.result)
  if (proof.method !== "state_getReadProof" || Option.isNone(named) || Option.isNone(nodes)) return []
  const [keys, hash] = named.value
  const beside = calls.filter(({ url }) => url === proof.url)
  const header = beside.flatMap((one) =>
    one.method === "chain_getHeader" && one.params[0] === hash ? Option.toArray(headerIn(one.result)) : []
  )[0]
  const genesis = beside.find((one) => one.method === "chain_getBlockHash" && one.params[0] === 0)?.result
  if (header === undefined || typeof genesis !== "string") return []
  const read: ReadOfChain = { hash, header, genesis, nodes: nodes.value.proof }
  const block = orNothing(() => blockRead(read))
  if (block === undefined) return []
  const of = new Set(keys)
  /** The key in an address, where the node was asked for it. */
  const keyAt = (address: string): string | undefined => {
    const key = keyIn(address)
    return key !== undefined && of.has(key) ? key : undefined
  }
  return [{ read, block, keyAt }]
}

/** The proofs among the calls of a run. */
export const substrateReads = (calls: ReadonlyArray<Called>): ReadonlyArray<ChainRead> =>
  calls
    .flatMap((call) => toldOf(call, calls))
    .map(({ block, keyAt, read }) => ({
      block,
      prove: (address, leaf) => {
        const key = keyAt(address)
        return key === undefined ? undefined : proved(read, key, leaf)
      }
    }))

/** The name and the version of a runtime. Throws `Malformed`. */
const runtimeIn = (value: Uint8Array): string => {
  const scale = new ScaleReader(value)
  const version = scale.compact()
  return `${fromUtf8(scale.bytes())} ${version}`
}

/** The runtimes that gave what was read, by the proofs among the calls of a run. */
export const runtimesIn = (calls: ReadonlyArray<Called>) =>
  calls
    .flatMap((call) => toldOf(call, calls))
    .flatMap(({ block: { chain }, keyAt, read }) => {
      const value = orNothing(() => provedState(read).valueAt(`0x${runtimeKey}`))
      const runtime = value && orNothing(() => runtimeIn(value))
      return runtime === undefined
        ? []
        : [{ chain, runtime, gives: (address: string) => keyAt(address) !== undefined }]
    })
