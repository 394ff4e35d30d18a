/** Figures of the log as it is stored, for metrics. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"
import { lastClosedDay } from "./closedDays.ts"

const NullableDate = Schema.NullOr(Schema.Date)
const figureRows = rowsOf({
  signed_at: NullableDate,
  closed: Schema.NullOr(Schema.String),
  pending_since: NullableDate
})
const anchorRows = rowsOf({ state: Schema.String, n: Schema.Int })

/**
 * When the newest head was signed, the newest day that is closed, since when a stamp is in no block, and how many stamps are in each
 * state; null what does not exist.
 */
export const measuredLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [figures = { signed_at: null, closed: null, pending_since: null }] = yield* sql`
    select (select signed_at from checkpoint order by size desc limit 1) as signed_at,
      ${lastClosedDay(sql)}::text as closed,
      (select min(stamped_at) from anchor where state = 'pending') as pending_since`.pipe(figureRows)
  const anchors = yield* sql`select state, count(*)::int as n from anchor group by state`.pipe(anchorRows)
  return { ...figures, anchors: new Map(anchors.map(({ n, state }) => [state, n])) }
})
