/**
 * Storage of a Substrate chain over JSON-RPC, at its finalized head; and the part of SCALE that storage values need. Each
 * function asks one node, because another may not know the block: with several nodes, wrap the reads of a run in `firstOf`.
 */
import { Effect, Schema } from "effect"
import * as Upstream from "../Upstream.ts"

/** Bytes as `0x…`. */
const Hex = Schema.String.check(Schema.isPattern(/^0x([0-9a-fA-F]{2})*$/))

const toBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** The little-endian hex of a number, as an identity-hashed map key ends. */
export const littleEndian = (value: number, bytes: number): string =>
  Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) % 256)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")

/** Reads a value; undefined when the bytes are not one. */
export type Codec<A> = (bytes: Uint8Array) => A | undefined

/** An unsigned integer, little endian, of any of these widths in bytes. */
export const unsigned =
  (...widths: ReadonlyArray<number>): Codec<bigint> =>
  (bytes) =>
    widths.includes(bytes.length)
      ? bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
      : undefined

export const u16 = unsigned(2)
export const u32 = unsigned(4)
export const u64 = unsigned(8)
export const u128 = unsigned(16)

/** One byte, 0 or 1. */
export const bool: Codec<boolean> = (bytes) =>
  bytes.length === 1 && (bytes[0] === 0 || bytes[0] === 1) ? bytes[0] === 1 : undefined

/** A compact length and how many bytes it takes; longer forms (2^30 and more) are not supported. */
const compact = (bytes: Uint8Array): readonly [value: number, width: number] | undefined => {
  const [first] = bytes
  if (first === undefined) return undefined
  const width = [1, 2, 4][first & 3]
  if (width === undefined || bytes.length < width) return undefined
  const whole = bytes.slice(0, width).reduceRight((value, byte) => value * 256 + byte, 0)
  return [Math.floor(whole / 4), width]
}

/** How many of a `Vec<bool>` are true. */
export const countTrue: Codec<bigint> = (bytes) => {
  const length = compact(bytes)
  if (length === undefined) return undefined
  const items = bytes.slice(length[1])
  if (items.length !== length[0] || items.some((item) => item > 1)) return undefined
  return BigInt(items.reduce((count, item) => count + item, 0))
}

/** The length of a list whose entries take so many bytes each. */
export const lengthOf =
  (width: number): Codec<bigint> =>
  (bytes) => {
    const length = compact(bytes)
    return length === undefined || bytes.length !== length[1] + length[0] * width
      ? undefined
      : BigInt(length[0])
  }

/** The sum of two unsigned integers of this width that stand side by side. */
export const sumOf =
  (width: number): Codec<bigint> =>
  (bytes) => {
    const parts = [bytes.slice(0, width), bytes.slice(width)].map(unsigned(width))
    const [one, other] = parts
    return one === undefined || other === undefined ? undefined : one + other
  }

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

/** The values of these keys at a block, asked for 500 at a time. */
export const storageAt = Effect.fnUntraced(function* (
  url: string,
  keys: readonly [string, ...Array<string>],
  block: string
) {
  const values = new Map<string, Uint8Array | null>()
  let answer: Upstream.Answer<unknown> | undefined
  for (let from = 0; from < keys.length; from += 500) {
    const params = [keys.slice(from, from + 500), block]
    const got = yield* Upstream.call(url, "state_queryStorageAt", params, Changes)
    for (const [key, value] of got.body.flatMap(({ changes }) => changes)) {
      values.set(key.toLowerCase(), value === null ? null : toBytes(value))
    }
    answer = got
  }
  const storage: Storage = {
    answer: answer ?? (yield* Effect.die("no storage key")),
    isEmpty: (key) => values.get(key.toLowerCase()) === null,
    read: (key, item, codec) => {
      const bytes = values.get(key.toLowerCase())
      if (bytes === undefined || bytes === null) return Effect.succeed(undefined)
      const value = codec(bytes)
      return value === undefined
        ? Effect.fail(
            new Upstream.UpstreamChanged({
              request: `POST ${url} state_queryStorageAt`,
              path: item,
              detail: `${bytes.length} bytes that are not a value of this item`
            })
          )
        : Effect.succeed(value)
    }
  }
  return storage
})
