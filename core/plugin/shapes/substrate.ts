/**
 * Storage of a Substrate chain over JSON-RPC, at its finalized head; and the part of SCALE that storage values need. Each
 * function asks one node, because another may not know the block: with several nodes, wrap the reads of a run in `firstOf`.
 */
import { Effect, Schema } from "effect"
import { equalBytes, toHex } from "../../proof/bytes.ts"
import { type Codec, unsigned } from "../../proof/chain/storageNumbers.ts"
import { contradicted } from "../notes.ts"
import * as Upstream from "../Upstream.ts"
import { Hex, provedAt, type Values } from "./provedStorage.ts"

export { type Codec, countTrue, lengthOf, sumOf, unsigned } from "../../proof/chain/storageNumbers.ts"

const toBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** The little-endian hex of a number, as an identity-hashed map key ends. */
export const littleEndian = (value: number, bytes: number): string =>
  Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) % 256)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")

export const u16 = unsigned(2)
export const u32 = unsigned(4)
export const u64 = unsigned(8)
export const u128 = unsigned(16)

/** One byte, 0 or 1. */
export const bool: Codec<boolean> = (bytes) =>
  bytes.length === 1 && (bytes[0] === 0 || bytes[0] === 1) ? bytes[0] === 1 : undefined

/** The values under the keys that were asked for. */
export interface Storage {
  /** The answer that held the last of them. */
  readonly answer: Upstream.Answer<unknown>
  /** True if the node says that a key has no value. A key missing from its answer is not known to be empty. */
  readonly isEmpty: (key: string) => boolean
  /** The value under a key; `UpstreamChanged` naming `item` when the bytes are not what the codec reads. */
  readonly read: <A>(
    key: string,
    item: string,
    codec: Codec<A>
  ) => Effect.Effect<A | undefined, Upstream.UpstreamError>
}

const Changes = Schema.Array(
  Schema.Struct({ changes: Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(Hex)])) })
)

/** The address at which a node gives one item of storage at its newest block. */
export const itemAt = (url: string, key: string): string =>
  Upstream.addressOf(Upstream.post(url, { jsonrpc: "2.0", id: 1, method: "state_getStorage", params: [key] }))

/** Hash of the newest block that can no longer be undone. */
export const finalizedHead = (url: string) =>
  Effect.map(Upstream.call(url, "chain_getFinalizedHead", [], Hex), ({ body }) => body)

/** All keys under a prefix at a block, in pages of 1,000. */
export const keysUnder = Effect.fnUntraced(function* (url: string, prefix: string, block: string) {
  const keys: Array<string> = []
  for (let page = 0; page < 50; page++) {
    const params = [prefix, 1000, keys.at(-1) ?? null, block]
    const { body } = yield* Upstream.call(url, "state_getKeysPaged", params, Schema.Array(Hex))
    keys.push(...body.map((key) => key.toLowerCase()))
    if (body.length < 1000) return keys
  }
  return yield* new Upstream.UpstreamChanged({
    request: `POST ${url} state_getKeysPaged`,
    path: prefix,
    detail: "the list of keys continues after 50 pages"
  })
})

/** The values of these keys at a block as a node says them, 500 per request. */
const plainAt = Effect.fnUntraced(function* (url: string, keys: ReadonlyArray<string>, block: string) {
  const values = new Map<string, Uint8Array | null>()
  let answer: Upstream.Answer<unknown> | undefined
  for (let from = 0; from < keys.length; from += 500) {
    const params = [keys.slice(from, from + 500), block]
    const reply = yield* Upstream.call(url, "state_queryStorageAt", params, Changes)
    for (const [key, value] of reply.body.flatMap(({ changes }) => changes)) {
      values.set(key.toLowerCase(), value === null ? null : toBytes(value))
    }
    answer = reply
  }
  return { answer: answer ?? (yield* Effect.die("no storage key")), values }
})

const inHex = (value: Uint8Array | null): string => (value === null ? "nothing" : `0x${toHex(value)}`)

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : equalBytes(one, other)

/** Fails where the state of the block has another value than the node says. */
const agreeing = Effect.fnUntraced(function* (url: string, block: string, proved: Values, values: Values) {
  for (const [key, value] of values) {
    const own = proved.get(key)
    if (own === undefined || isSame(own, value)) continue
    return yield* new Upstream.UpstreamChanged({
      request: `POST ${url} state_queryStorageAt`,
      path: key,
      detail: `${contradicted}the node says ${inHex(value)}, and the state of block ${block} has ${inHex(own)}, as its proof shows`
    })
  }
})

/**
 * The values of these keys at a block: out of the chain's own proof, if a node of the run gives one. Else they are the node's word, and
 * the answer says why; where a part of them is proved all the same, and is another, it is `UpstreamChanged`.
 */
export const storageAt = Effect.fnUntraced(function* (
  url: string,
  keys: readonly [string, ...Array<string>],
  block: string
) {
  const proved = yield* provedAt(url, keys, block)
  if (proved.answer !== undefined) return storageOf(`${url} state_getReadProof`, proved.answer, proved.values)
  const { answer, values } = yield* plainAt(url, keys, block)
  yield* agreeing(url, block, proved.values, values)
  return storageOf(
    `${url} state_queryStorageAt`,
    proved.unproved === undefined ? answer : { ...answer, unproved: proved.unproved },
    values
  )
})

const storageOf = (name: string, answer: Upstream.Answer<unknown>, values: Values): Storage => ({
  answer,
  isEmpty: (key) => values.get(key.toLowerCase()) === null,
  read: (key, item, codec) => {
    const bytes = values.get(key.toLowerCase())
    if (bytes === undefined || bytes === null) return Effect.succeed(undefined)
    const value = codec(bytes)
    return value === undefined
      ? Effect.fail(
          new Upstream.UpstreamChanged({
            request: `POST ${name}`,
            path: item,
            detail: `${bytes.length} bytes that are not a value of this item`
          })
        )
      : Effect.succeed(value)
  }
})
