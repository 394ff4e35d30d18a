/** Keeps out what a process writes of a feed that another process owns by now. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../../sql/rows.ts"
import { texts } from "../arrays.ts"

/** The run began under an ownership that is over; its feed's new owner collects the readings again. */
export class RunFenced extends Schema.TaggedError<RunFenced>()("RunFenced", {
  plugin: Schema.String,
  epoch: Schema.Int,
  message: Schema.String
}) {}

const ownerRows = rowsOf({ epoch: Schema.Int, runner: Schema.String })
const claimRows = rowsOf({ plugin: Schema.String, epoch: Schema.Int })

/** Makes `runner` the owner of these feeds: with a new epoch, unless it is the owner of one already. */
export const claimFeeds = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>, runner: string) {
  const sql = yield* SqlClient.SqlClient
  // A process that lost the lock and found nobody in its place keeps its epoch: its runs in progress still count.
  // In a transaction, which has a connection to itself: this waits for runs that are being stored, and others' queries
  // must not wait behind it.
  return yield* sql`
    insert into feed_owner as o (plugin, epoch, runner, since)
    select id, 1, ${runner}, clock_timestamp() from unnest(${texts(plugins)}) as asked(id) order by id
    on conflict (plugin) do update set runner = excluded.runner,
      epoch = o.epoch + case when o.runner = excluded.runner then 0 else 1 end,
      since = case when o.runner = excluded.runner then o.since else excluded.since end
    returning plugin, epoch`.pipe(claimRows, sql.withTransaction)
})

/**
 * Fails if the feed has a newer owner than the one of this epoch. Call it in the transaction that writes: nobody else can
 * become the owner before it commits. Without an epoch, one process has the database to itself.
 */
export const fence = Effect.fnUntraced(function* (plugin: string, epoch: number | undefined) {
  if (epoch === undefined) return
  const sql = yield* SqlClient.SqlClient
  const [owner] = yield* sql`
    select epoch, runner from feed_owner where plugin = ${plugin} for share`.pipe(ownerRows)
  if (owner?.epoch === epoch) return
  return yield* new RunFenced({
    plugin,
    epoch,
    message: `the run of ${plugin} began under ownership ${epoch}; the feed belongs to ${owner?.runner ?? "nobody"} (ownership ${owner?.epoch ?? 0}) now`
  })
})
