/** Up to when what was read may be removed, because what is published of it needs it no longer. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"

const dayRows = rowsOf({ day: Schema.NullOr(Schema.String) })

/**
 * Start of the first day that is not closed, in the log and in the archive, or of an earlier one that has changed since;
 * epoch milliseconds. Everything before it is sealed. Infinite where there is no day at all.
 */
export const attestedUntil = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [first] = yield* sql`
    select least(
      coalesce(
        (select min(b.day) from batch b where b.closed_at is null or b.log_index is null or not exists (
          select 1 from archive_file f where f.period = 'day' and f.first_day = b.day and f.log_index is not null
        )),
        (select max(day) + 1 from batch),
        (select min(day) from daily)
      ),
      (select min(day) from daily where sealed_by is null and n_observations > 0)
    )::text as day`.pipe(dayRows)
  return first === undefined || first.day === null ? Number.POSITIVE_INFINITY : Date.parse(first.day)
}).pipe(Effect.withSpan("attestedUntil"))
