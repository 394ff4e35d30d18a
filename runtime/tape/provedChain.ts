/**
 * Proofs of what a recording has of chains, here of the storage of Substrate chains: the demo tells of a chain whose blocks commit to exactly that storage, so that
 * everybody sees proofs at work. No such chain exists, and its documents say that they are simulated.
 */
import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { lastRuntimeUpgrade, proofCalls } from "../../core/plugin/shapes/provedStorage.ts"
import { addressOf, type Exchange, post, rpcRequest } from "../../core/plugin/Upstream.ts"
import { concat, fromHex, toHex, utf8 } from "../../core/proof/bytes.ts"
import { compact, little } from "../../core/proof/chain/scaleWriter.ts"
import { encodeHeader, type ToldHeader } from "../../core/proof/chain/substrateHeader.ts"
import { blake2b256 } from "../../core/proof/chain/substrateTrie.ts"
import type { Tape } from "../upstream/replay.ts"
import { withContracts } from "./provedContracts.ts"
import { withGateways } from "./provedGateways.ts"
import { type Entry, radix, readIn } from "./substrateTrie.ts"

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

const decoder = new TextDecoder()

const Call = Schema.Struct({ method: Schema.String, params: Schema.Array(Schema.Unknown) })
const callIn = Schema.decodeUnknownOption(Schema.fromJsonString(Call))
const headIn = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ result: Schema.String })))
const Changes = Schema.Array(
  Schema.Struct({ changes: Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(Schema.String)])) })
)
const changesIn = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ result: Changes })))
const KeysAt = Schema.Tuple([Schema.Array(Schema.String), Schema.String])
const keysIn = Schema.decodeUnknownOption(KeysAt)

/** What a recording has of the storage of one chain. */
interface Storage {
  readonly url: string
  /** The hash of the block that it was read at. */
  readonly block: string
  readonly keys: ReadonlyArray<string>
  readonly values: ReadonlyMap<string, string>
  /** An exchange that read it. */
  readonly read: Exchange
}

const callOf = ({ request }: Exchange) => Option.getOrUndefined(callIn(request.body ?? ""))

/** The storage that was read through one address, if it was read at its finalized head. */
const storageOf = (url: string, exchanges: ReadonlyArray<Exchange>): Storage | undefined => {
  const head = exchanges.find((one) => callOf(one)?.method === "chain_getFinalizedHead")
  const block = head && Option.getOrUndefined(headIn(decoder.decode(head.body)))?.result
  const reads = exchanges.flatMap((read) => {
    const call = callOf(read)
    if (call?.method !== "state_queryStorageAt") return []
    const named = Option.getOrUndefined(keysIn(call.params))
    const changes = Option.getOrUndefined(changesIn(decoder.decode(read.body)))?.result
    return named === undefined || changes === undefined
      ? []
      : [{ read, keys: named[0], at: named[1], changes }]
  })
  const [first] = reads
  if (block === undefined || first === undefined || reads.some(({ at }) => at !== block)) return undefined
  return {
    url,
    block,
    keys: reads.flatMap(({ keys }) => keys),
    values: new Map(
      reads.flatMap(({ changes }) =>
        changes.flatMap((one) =>
          one.changes.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]))
        )
      )
    ),
    read: first.read
  }
}

const systemNumber = "0x26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac"
const systemAccount = "26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9"

const bytesOf = (hex: string): Uint8Array => fromHex(hex.slice(2).toLowerCase())

/** Entries of others among which those of the recording stand, so that the proof is not of the whole trie. */
const others: ReadonlyArray<Entry> = Array.from({ length: 256 }, (_, index) => {
  const account = blake2b256(little(BigInt(index), 4))
  return [
    concat(fromHex(systemAccount), account.subarray(0, 16), account),
    new Uint8Array(80).fill(index & 255)
  ] as const
})

/** A block whose state has the values of a recording. */
const blockOf = ({ keys, values }: Storage, now: number) => {
  const runtime: Entry = [
    bytesOf(lastRuntimeUpgrade),
    concat(compact(1n), compact(BigInt("demo".length)), utf8("demo"))
  ]
  const entries = [...values].map(([key, value]): Entry => [bytesOf(key), bytesOf(value)])
  const trie = radix([...others, runtime, ...entries])
  const number = values.get(systemNumber)
  const height =
    number === undefined
      ? Math.floor(now / 12_000)
      : Number(bytesOf(number).reduceRight((sum, byte) => sum * 256 + byte, 0))
  const header: ToldHeader = {
    parentHash: `0x${sha256(`${height - 1}`)}`,
    number: `0x${height.toString(16)}`,
    stateRoot: `0x${toHex(trie.root)}`,
    extrinsicsRoot: `0x${sha256(`${height}`)}`,
    digest: { logs: [] }
  }
  const proof = readIn(trie, [...keys, lastRuntimeUpgrade].map(bytesOf)).nodes
  return {
    hash: `0x${toHex(blake2b256(encodeHeader(header)))}`,
    header,
    nodes: proof.map((node) => `0x${toHex(node)}`)
  }
}

/** The first block of the chain behind an address, as the manifest names it. */
const genesisOf = ({ canaries = [] }: Manifest, url: string): string => {
  const address = addressOf(post(url, { jsonrpc: "2.0", id: 1, method: "chain_getBlockHash", params: [0] }))
  return (
    canaries
      .find(({ request }) => typeof request !== "string" && addressOf(request) === address)
      ?.is?.toString() ?? `0x${sha256(url)}`
  )
}

const withText = (exchange: Exchange, from: string, to: string): Exchange => {
  const text = decoder.decode(exchange.body)
  const body = text.includes(from) ? utf8(text.replaceAll(from, to)) : exchange.body
  return {
    ...exchange,
    request: {
      ...exchange.request,
      ...(exchange.request.body === undefined ? {} : { body: exchange.request.body.replaceAll(from, to) })
    },
    body,
    sha256: body === exchange.body ? exchange.sha256 : sha256(body)
  }
}

/** The exchanges with one chain, at a block that proves what they read. */
const proved = (
  manifest: Manifest,
  storage: Storage,
  exchanges: ReadonlyArray<Exchange>,
  now: number
): ReadonlyArray<Exchange> => {
  const { hash, header, nodes } = blockOf(storage, now)
  const body = utf8(
    JSON.stringify([
      { jsonrpc: "2.0", id: 1, result: genesisOf(manifest, storage.url) },
      { jsonrpc: "2.0", id: 2, result: header },
      { jsonrpc: "2.0", id: 3, result: { at: hash, proof: nodes } }
    ])
  )
  const { read, url } = storage
  return [
    ...exchanges.map((exchange) => withText(exchange, storage.block, hash)),
    { ...read, request: rpcRequest(url, proofCalls(storage.keys, hash)), body, sha256: sha256(body) }
  ]
}

/** The tape with a proof for each read of the state of a chain; the same exchanges where it has none. */
export const withProofs = (manifest: Manifest, tape: Tape): Tape => {
  const byUrl = Map.groupBy(tape.exchanges, ({ request }) => request.url)
  const exchanges = [...byUrl].flatMap(([url, all]) => {
    const storage = storageOf(url, all)
    return storage === undefined
      ? withContracts(url, all, tape.now)
      : proved(manifest, storage, all, tape.now)
  })
  return { ...tape, exchanges: withGateways(exchanges, tape.now) }
}
