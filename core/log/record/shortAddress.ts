/**
 * Short addresses of published values. One is the beginning of the leaf's hash in base32, ten characters or as many more as no earlier
 * leaf shares; what it names is the earliest leaf that begins so. Leaves are only added, so an address never gets another meaning.
 */
import { base32nopad } from "@scure/base"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { fromHex, toHex, utf8 } from "../../proof/bytes.ts"
import { leafHashHex, parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Anchor } from "../../wire/log/anchor.ts"
import { Log } from "../Log.ts"
import { anchorFields, anchorFrom, bestAnchor } from "./anchor.ts"
import { recordCache } from "./recordCache.ts"

/** Characters of most addresses: 50 bits. */
const shortest = 10

/** Bytes of a hash that the index of leaves has. */
const indexed = 7

/** Leaves that share ten characters: two are unlikely for centuries. */
const most = 50

const codePattern = /^[a-z2-7]{10,52}$/

const foundRows = rowsOf({
  series: Schema.Int,
  text: Schema.String,
  hash: Schema.Uint8Array,
  batch_day: Schema.String,
  ...anchorFields
})

/** A published value, whichever version of its day it is. */
export interface PublishedValue {
  readonly code: string
  readonly series: number
  readonly row: RowLeaf
  readonly hash: Uint8Array
  readonly batch_day: string
  readonly anchor: Anchor
}

const textOf = (hash: Uint8Array): string => base32nopad.encode(hash).toLowerCase()

/** The least and the greatest first bytes of a hash that begins with these ten characters. */
const bounds = (code: string): readonly [Uint8Array, Uint8Array] => {
  const end = (filler: string) =>
    base32nopad
      .decode(`${code.slice(0, shortest)}${filler}`.padEnd(16, filler).toUpperCase())
      .slice(0, indexed)
  return [end("a"), end("7")]
}

/** All leaves of the log that begin with the same ten characters, earliest first. */
const alike = Effect.fnUntraced(function* (code: string, size: number) {
  const sql = yield* SqlClient.SqlClient
  const [least, greatest] = bounds(code)
  return yield* sql`
    select l.series, l.text, l.hash, b.day::text as batch_day, anchored.*
    from leaf l join batch b on b.id = l.batch cross join lateral ${bestAnchor(sql, sql`b.log_index`, size)} anchored
    where substring(l.hash from 1 for 7) between ${least} and ${greatest} and l.series is not null and b.log_index < ${size}::int
    order by b.log_index, l.place limit ${most}`.pipe(foundRows)
})

const find = Effect.fn("shortAddress.find")(function* (text: string, size: number) {
  const leaves = yield* alike(text, size)
  const n = leaves.findIndex(({ hash }) => textOf(hash).startsWith(text))
  const leaf = leaves[n]
  if (leaf === undefined || leafHashHex(utf8(leaf.text)) !== toHex(leaf.hash))
    return Option.none<PublishedValue>()
  const row = parseLeaf(leaf.text)
  if (row.kind === "absent") return Option.none<PublishedValue>()
  const whole = textOf(leaf.hash)
  const earlier = leaves.slice(0, n).map(({ hash }) => textOf(hash))
  let length = shortest
  while (earlier.some((one) => one.startsWith(whole.slice(0, length)))) length++
  return Option.some<PublishedValue>({
    code: whole.slice(0, length),
    series: leaf.series,
    row,
    hash: leaf.hash,
    batch_day: leaf.batch_day,
    anchor: yield* anchorFrom(leaf)
  })
})

const cached = recordCache<Effect.Success<ReturnType<typeof find>>>(2000)

/** The value of a short address; none where the log has no leaf of it. */
export const valueAt = Effect.fn("Log.valueAt")(function* (code: string) {
  if (!codePattern.test(code)) return Option.none<PublishedValue>()
  const { size } = yield* (yield* Log).served
  return yield* cached(`${code} ${size}`, find(code, size))
})

/** The published value with this leaf hash, as hex. */
export const valueOfLeaf = (leafHash: string) => valueAt(textOf(fromHex(leafHash)))
