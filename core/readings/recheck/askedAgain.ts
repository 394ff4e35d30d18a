/** What came of asking a source again about one reading. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { RecheckVerdict } from "../../wire/data/recheck.ts"

const againRows = rowsOf({ verdict: RecheckVerdict, done_at: Schema.Date })

export interface AskedAgain {
  readonly verdict: RecheckVerdict
  /** When its answer was compared. */
  readonly checked_utc: string
}

/**
 * The newest time that the source gave the same number as this reading, else the newest at all. Undefined where it was not asked while the
 * reading was served: a look at a later one says nothing of it.
 */
export const askedAgain = Effect.fn("Rechecks.askedAgain")(function* (
  series: number,
  { as_of, value }: { readonly as_of: string; readonly value: number }
) {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`
    select s.verdict, r.done_at from recheck_series s join recheck r on r.id = s.recheck
    where s.series = ${series} and r.done_at is not null
      and (s.comparison->'served'->>'as_of')::timestamptz = ${new Date(as_of)} and (s.comparison->'served'->>'value')::float8 = ${value}
    order by s.verdict = 'exact' desc, r.done_at desc limit 1`.pipe(againRows)
  return newest === undefined
    ? undefined
    : ({ verdict: newest.verdict, checked_utc: isoTime(newest.done_at.getTime()) } satisfies AskedAgain)
})
