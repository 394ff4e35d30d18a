/** Notaries that state no more: a run is worth the same without, so nothing else says that one is away or states other answers. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { minute } from "../../../plugin/time.ts"
import { rowsOf } from "../../../sql/rows.ts"

/** Runs without a statement, one after the other, by which a notary counts as silent. */
const leastRuns = 3

/** Milliseconds within which what a notary states of a run may still come. */
const patience = 10 * minute

/** The runs of which a notary stated nothing, and when the first of them began. */
export interface Silence {
  readonly runs: number
  readonly since: Date
}

const silenceRows = rowsOf({ runs: Schema.Int, since: Schema.NullOr(Schema.Date) })

/**
 * The whole runs that a notary was drawn for after its newest statement, of the feed that this one is of: a host that it carried to.
 * Undefined where they are fewer than three, and of a notary that has stated nothing yet, of which `doctor` speaks. `notary`: as in `lot_notary`;
 * `now`: epoch milliseconds.
 */
export const silenceOf = Effect.fn("notes.silenceOf")(function* (notary: string, now: number) {
  const sql = yield* SqlClient.SqlClient
  const [later] = yield* sql`
    with newest as (
      select run.id, run.plugin from exchange_note e join note on note.sha256 = e.note join run on run.id = e.run
      where note.notary = ${notary} order by e.run desc limit 1
    )
    select count(*)::int as runs, min(run.started_at) as since
    from newest join run on run.plugin = newest.plugin and run.id > newest.id
    where run.lot_notary = ${notary} and run.status = 'ok' and run.finished_at < ${new Date(now - patience)}`.pipe(
    silenceRows
  )
  if (later === undefined || later.since === null || later.runs < leastRuns) return undefined
  const silence: Silence = { runs: later.runs, since: later.since }
  return silence
})
