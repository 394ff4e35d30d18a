/**
 * Salted commitments to what was sold. Each sale makes one in its own transaction; the buyer gets the salt, and the log the
 * root of each day's commitments (`core/publications/SalesLog.ts`).
 */
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { fromHex, toHex } from "../proof/bytes.ts"
import { commitmentOf } from "../proof/sales.ts"
import { byteas, ints } from "../readings/ingest/arrays.ts"
import { rowsOf } from "../sql/rows.ts"
import type { Commitment } from "../wire/credits/checkpointName.ts"

const dayRows = rowsOf({ day: Schema.NullOr(Schema.String) })
const waitingRows = rowsOf({ commitment: Schema.Uint8Array, made_at: Schema.Date })
const placeRows = rowsOf({
  day: Schema.String,
  place: Schema.Int,
  path: Schema.Uint8Array,
  log_index: Schema.Int
})
const commitmentRows = rowsOf({ salt: Schema.Uint8Array, commitment: Schema.Uint8Array })

/** Commits to the payload of a sale, and gives what its buyer gets. Call in the transaction that completes the sale. */
export const commitTo = Effect.fn("commitments.commitTo")(function* (sale: string, payloadSha256: string) {
  const sql = yield* SqlClient.SqlClient
  const salt = yield* (yield* SecureRandom).randomBytes(32)
  const sha256 = commitmentOf(toHex(salt), payloadSha256)
  yield* sql`insert into sale_commitment ${sql.insert({
    sale,
    salt,
    commitment: fromHex(sha256, 32),
    made_at: new Date(yield* DataClock.now)
  })}`
  return { salt: toHex(salt), sha256 } satisfies typeof Commitment.Type
})

/** What the buyer of a sale gets; undefined of a sale from before there were commitments. */
export const commitmentOfSale = Effect.fn("commitments.commitmentOfSale")(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select salt, commitment from sale_commitment where sale = ${sale}`.pipe(
    commitmentRows
  )
  return row === undefined
    ? undefined
    : ({ salt: toHex(row.salt), sha256: toHex(row.commitment) } satisfies typeof Commitment.Type)
})

/** Sales from before a day that no document has, oldest first. */
export const unloggedSales = Effect.fnUntraced(function* (before: string, limit: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select commitment, made_at from sale_commitment
    where day is null and made_at < ${new Date(Date.parse(before))} order by made_at limit ${limit}`.pipe(
    waitingRows
  )
})

/** The newest day whose sales are logged; null before the first. */
export const newestLoggedSales = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`select max(day)::text as day from sale_commitment`.pipe(dayRows)
  return newest?.day ?? null
})

/** A commitment in the tree of its day. */
export interface PlacedSale {
  readonly leaf: Uint8Array
  readonly place: number
  readonly path: Uint8Array
}

/** Notes the day of sales, and where each is in the tree of that day. */
export const placeSales = Effect.fnUntraced(function* (day: string, sales: ReadonlyArray<PlacedSale>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update sale_commitment c set day = ${day}::date, place = t.place, path = t.path
    from unnest(${byteas(sales.map(({ leaf }) => leaf))}, ${ints(sales.map(({ place }) => place))},
      ${byteas(sales.map(({ path }) => path))}) as t(commitment, place, path)
    where c.commitment = t.commitment`
})

/** Notes where in the log the document of a day's sales is. */
export const logSalesOf = Effect.fnUntraced(function* (day: string, logIndex: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update sale_commitment set log_index = ${logIndex} where day = ${day}::date`
})

/** Counts all sales as not logged yet: the log begins anew. */
export const unlogSales = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update sale_commitment set day = null, place = null, path = null, log_index = null where day is not null`
})

/** Where a commitment, 64 hex digits, is among the first `size` entries of the log; undefined if it is not. */
export const placeOfSale = Effect.fnUntraced(function* (commitment: string, size: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select day::text as day, place, path, log_index from sale_commitment
    where commitment = ${fromHex(commitment, 32)} and log_index < ${size}::int`.pipe(placeRows)
  return row
})
