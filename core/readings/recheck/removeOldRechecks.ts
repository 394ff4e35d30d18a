/** How long it is kept what came of looking again. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day } from "../../plugin/time.ts"
import type { Due } from "../removing.ts"

const keptFor = 90 * day

/** Removes what was asked for longer ago. The runs stay, as all runs do. */
export const removeOldRechecks = Effect.fn("Rechecks.removeOldRechecks")(function* (due: Due) {
  const sql = yield* SqlClient.SqlClient
  // Who asked is counted for an hour.
  yield* sql`update recheck set asked_by = null where asked_by is not null and asked_at < ${new Date(due.data)}`
  yield* sql`delete from recheck where asked_at < ${new Date(due.data - keptFor)}`
})
