/** The days that were compared with other operators. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Unit } from "../../plugin/Value.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { rowsOf } from "../../sql/rows.ts"

const documentRows = rowsOf({ document: Schema.String })
const dayRows = rowsOf({ day: Schema.String, document: Schema.String, log_index: Schema.Int })
const valueRows = rowsOf({ unit: Unit, differing: Schema.String, own: Schema.String })

/** The document of the newest of them; undefined if no day was compared. */
export const newestAgreement = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`
    select d.body as document from agreement_day a join document d on d.sha256 = a.document
    order by a.day desc limit 1`.pipe(documentRows)
  return newest?.document
})

/** Those whose contradictions the feed does not have yet, oldest first. */
export const agreementsToTell = Effect.fnUntraced(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select a.day::text as day, d.body as document, a.log_index from agreement_day a join document d on d.sha256 = a.document
    where not a.in_feed order by a.day limit ${limit}`.pipe(dayRows)
})

/** Counts these as in the feed. */
export const tellAgreements = Effect.fnUntraced(function* (days: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update agreement_day set in_feed = true where day = any(${texts(days)}::date[])`
})

/** The values of a day that others contradict: the leaf that says so, the service's own leaf, and its unit. */
export const contradictedOn = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select s.unit, v.differing, l.text as own from agreement_value v join series s on s.id = v.series
      join batch b on b.day = v.day
      join leaf l on l.batch = b.id and l.series = v.series and l.day = v.day and l.incident = 0
    where v.day = ${day}::date and v.differing is not null order by v.place`.pipe(valueRows)
})
