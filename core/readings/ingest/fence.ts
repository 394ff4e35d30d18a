/** Keeps out what a process writes of a feed that another process owns by now. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

/** The run began under an ownership that is over; its feed's new owner collects the readings again. */
export class RunFenced extends Schema.TaggedError<RunFenced>()("RunFenced", {
  plugin: Schema.String,
  epoch: Schema.Int,
  message: Schema.String
}) {}

const ownerRows = rowsOf({ epoch: Schema.Int, runner: Schema.String })

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
