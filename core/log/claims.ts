/** Claims: of several processes on one database, one closes a day, and one has a checkpoint stamped. */
import { Context, Effect, Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { minute } from "../plugin/time.ts"
import { loop } from "../process/loop.ts"
import { rowsOf } from "../sql/rows.ts"

const idRows = rowsOf({ id: Schema.Int })

/**
 * The owner name of this process's claims. Where only one process uses the database, a fixed name lets it resume a killed
 * one's claims at once; otherwise each process has its own name.
 */
export const Claimant = Context.Reference<string | undefined>("core/log/DailyClose/Claimant", {
  defaultValue: () => undefined
})

/** How long a silent process keeps its claim on a batch. */
const claim = minute
/** How often a process that closes a day renews its claim. */
const renewal = "20 seconds"

/**
 * The claims on batches of one process, whose owner name is `me`. Whoever seals a batch has its row locked. What may wait for
 * that is a transaction, because a transaction has a connection to itself: others' queries would wait behind it.
 */
export const claimsOf = (sql: SqlClient.SqlClient, me: string) => {
  /** True if this process still holds the claim; renews it for the rest of the transaction. */
  const renewClaim = Effect.fnUntraced(function* (batch: number) {
    const until = new Date((yield* DataClock.now) + claim)
    const rows = yield* sql`
      update batch set claimed_until = greatest(claimed_until, ${until})
      where id = ${batch} and claimed_by = ${me} and closed_at is null returning id`
    return rows.length > 0
  })
  return {
    renewClaim,

    /** Renews the claim while `work` lasts, however long one of its steps takes. */
    whileRenewing: <A, E, R>(batch: number, work: Effect.Effect<A, E, R>) =>
      Effect.raceFirst(
        work,
        loop(
          "renewing the claim on a day",
          { afterFailure: renewal },
          Effect.delay(sql.withTransaction(renewClaim(batch)), renewal)
        )
      ),

    /** Claims the day's batch and returns its id; undefined if another process is closing it or has closed it. */
    take: Effect.fnUntraced(function* (day: string, cutOff: number, now: number) {
      const [claimed] = yield* sql`
      insert into batch as b (day, cut_off, claimed_by, claimed_until)
      values (${day}::date, ${new Date(cutOff)}, ${me}, ${new Date(now + claim)})
      on conflict (day) do update
        set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
        where b.closed_at is null and (b.claimed_until < ${new Date(now)} or b.claimed_by = ${me})
      returning id`.pipe(idRows, sql.withTransaction)
      return claimed?.id
    }),

    /** Releases the claim of an interrupted close, so the next process need not wait for it to expire. */
    release: (day: string) =>
      sql`update batch set claimed_until = to_timestamp(0)
      where day = ${day}::date and claimed_by = ${me} and closed_at is null`.pipe(
        sql.withTransaction,
        Effect.ignore
      )
  }
}

/** How long a silent process keeps its claim on a checkpoint; longer than the calendars may take to answer. */
const stampClaim = "2 minutes"

/** The claims on checkpoints of one process, whose owner name is `me`. Their time is the database's. */
export const stampClaimsOf = (sql: SqlClient.SqlClient, me: string) => ({
  /** True if this process may have the checkpoint of this size stamped. */
  take: (size: number) =>
    sql`
      insert into anchor_claim as c (size, claimed_by, claimed_until)
      values (${size}, ${me}, clock_timestamp() + ${stampClaim}::interval)
      on conflict (size) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
        where c.claimed_until < clock_timestamp() or c.claimed_by = ${me}
      returning size`.pipe(Effect.map((rows) => rows.length > 0)),

  release: (size: number) => sql`delete from anchor_claim where size = ${size} and claimed_by = ${me}`
})
