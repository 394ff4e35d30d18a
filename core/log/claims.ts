/** Claims on batches: of several processes on one database, only one closes a day. */
import { Effect, Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../data/DataClock.ts"
import { rowsOf } from "../data/rows.ts"

const idRows = rowsOf({ id: Schema.Int })

/** How long a silent process keeps its claim on a batch. */
const claim = 10 * 60_000

/** The claims of one process, whose owner name is `me`. */
export const claimsOf = (sql: SqlClient.SqlClient, me: string) => ({
  /** Claims the day's batch and returns its id; undefined if another process is closing it or has closed it. */
  take: Effect.fnUntraced(function* (day: string, cutOff: number, now: number) {
    const [mine] = yield* sql`
      insert into batch as b (day, cut_off, claimed_by, claimed_until)
      values (${day}::date, ${new Date(cutOff)}, ${me}, ${new Date(now + claim)})
      on conflict (day) do update
        set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
        where b.closed_at is null and (b.claimed_until < ${new Date(now)} or b.claimed_by = ${me})
      returning id`.pipe(idRows)
    return mine?.id
  }),

  /** True if this process still holds the claim; renews it for the rest of the transaction. */
  held: Effect.fnUntraced(function* (batch: number) {
    const until = new Date((yield* DataClock.now) + claim)
    const rows = yield* sql`
      update batch set claimed_until = greatest(claimed_until, ${until})
      where id = ${batch} and claimed_by = ${me} and closed_at is null returning id`
    return rows.length > 0
  }),

  /** Releases the claim of an interrupted close, so the next process need not wait for it to expire. */
  release: (day: string) =>
    sql`update batch set claimed_until = to_timestamp(0)
      where day = ${day}::date and claimed_by = ${me} and closed_at is null`.pipe(Effect.ignore)
})
