/** Which notary carried a run, where it states every answer of it. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import type { CarriedBy } from "../../wire/data/recheck.ts"

/** Notes of one answer: a run that looks again makes few connections. */
const mostNotes = 100

const noteRows = rowsOf({ notary: Schema.String, note: Schema.String })

/** Undefined where an exchange of the run has no note or has left the table, or the run had no notary. */
export const carriedBy = Effect.fn("Rechecks.carriedBy")(function* (run: string) {
  const sql = yield* SqlClient.SqlClient
  const notes = yield* sql`
    select distinct r.lot_notary as notary, t.note from run r join exchange_note t on t.run = r.id
    where r.id = ${run} and r.lot_notary is not null and exists (select 1 from exchange e where e.run = r.id) and not exists (
      select 1 from exchange e where e.run = r.id
        and not exists (select 1 from exchange_note n where n.run = e.run and n.n = e.n)
    )
    order by t.note limit ${mostNotes}`.pipe(noteRows)
  const [first] = notes
  if (first === undefined) return undefined
  const carried: CarriedBy = { key: first.notary, notes: notes.map(({ note }) => note) }
  return carried
})
