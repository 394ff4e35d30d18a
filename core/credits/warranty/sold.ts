/** What a sale promised of which values. Kept with the sale, so that what is set afterwards changes nothing of it. */
import { BigInt as BigInts, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { sha256 } from "../../process/sha256.ts"
import { toHex } from "../../proof/bytes.ts"
import { hashLength } from "../../proof/merkle.ts"
import { warrantedTree } from "../../proof/warranty.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type SaleWarranty, WarrantyPromise } from "../../wire/credits/warranty.ts"
import { type Micros, toNumber } from "../Money.ts"
import { promiseOf, WarrantyTerms } from "./terms.ts"

/** What is about to be sold. */
export interface Offered {
  readonly key: string
  readonly price: Micros
  readonly inputs: Readonly<Record<string, unknown>>
  /** Before the data was read, epoch milliseconds: whatever the record says of it from then on counts. */
  readonly soldAt: number
  readonly data: unknown
}

/** The warranty of a sale that is not made yet. */
export interface Warranted {
  readonly promise: WarrantyPromise
  readonly pays: Micros
  readonly mostPerDay: Micros
  readonly mostInTotal: Micros
  readonly soldAt: number
  readonly size: number
  readonly root: string
  /** `keyOf` each value. */
  readonly keys: ReadonlyArray<bigint>
}

const saleRows = rowsOf({
  promise: WarrantyPromise,
  pays: Schema.BigInt,
  until: Schema.Date,
  rows: Schema.Int,
  root: Schema.Uint8Array
})

/** How a value is looked up: the first 8 bytes of its leaf hash. */
export const keyOf = (leafHash: Uint8Array): bigint =>
  new DataView(leafHash.buffer, leafHash.byteOffset).getBigInt64(0)

/** Integers as a literal of SQL's arrays: a driver has no type for lists of `bigint`. */
export const bigints = (values: ReadonlyArray<bigint>): string => `{${values.join(",")}}`

/** What is promised of these data; undefined if nothing is: no warranty is given, or nothing in them is covered. */
export const warrantedOf = Effect.fnUntraced(function* ({ data, inputs, key, price, soldAt }: Offered) {
  const terms = yield* WarrantyTerms
  const promise = promiseOf(terms, key)
  if (terms === undefined || promise === undefined || inputs["as_known_at"] !== undefined) return undefined
  const pays = BigInts.min((price * BigInt(terms.share)) / 100n, terms.perSale)
  const tree = pays === 0n ? undefined : warrantedTree(data, { ...promise, soldAt }, sha256)
  if (tree === undefined) return undefined
  const { hashes, root, size } = tree
  return {
    promise,
    pays,
    mostPerDay: terms.perDay,
    mostInTotal: terms.inTotal,
    soldAt,
    size,
    root,
    keys: Array.from({ length: size }, (_, place) => keyOf(hashes.subarray(place * hashLength)))
  } satisfies Warranted
})

/** As the buyer gets it. */
const wireOf = (
  promise: WarrantyPromise,
  until: number,
  pays: Micros,
  rows: SaleWarranty["rows"]
): SaleWarranty => ({
  days: promise.days,
  greatest_age_hours: promise.greatest_age_hours,
  says: promise.says,
  until: isoTime(until),
  pays_usd: toNumber(pays),
  rows
})

/** Keeps the warranty of a sale. Call it in the transaction that makes the sale. */
export const warrant = Effect.fn("warranty.warrant")(function* (
  sale: string,
  warranted: Warranted | undefined
) {
  if (warranted === undefined) return undefined
  const sql = yield* SqlClient.SqlClient
  const { keys, mostInTotal, mostPerDay, pays, promise, root, size, soldAt } = warranted
  const until = soldAt + promise.days * day
  yield* sql`
    insert into warranty_sale (sale, promise, pays, most_per_day, most_in_total, sold_at, until, rows, root, keys)
    values (${sale}, ${JSON.stringify(promise)}::jsonb, ${pays}, ${mostPerDay}, ${mostInTotal}, ${new Date(soldAt)},
      ${new Date(until)}, ${size}, decode(${root}, 'hex'), ${bigints(keys)}::bigint[])`
  return wireOf(promise, until, pays, { size, root })
})

/** The warranty of a sale; undefined if it has none. */
export const warrantyOf = Effect.fn("warranty.warrantyOf")(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select promise, pays, until, rows, root from warranty_sale where sale = ${sale}`.pipe(saleRows)
  return row === undefined
    ? undefined
    : wireOf(row.promise, row.until.getTime(), row.pays, { size: row.rows, root: toHex(row.root) })
})
