/** What notaries state of the run that gave a value, and of other runs that gave the very same rows through other notaries. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { RunProof } from "../../proof/observed.ts"
import { parseRunLeaf } from "../../proof/runLeaf.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { storedNotes } from "../../readings/ingest/runs/notes.ts"
import { rowsOf } from "../../sql/rows.ts"
import { wherever } from "../runFiles/movedRuns.ts"
import { observedRun } from "./observed.ts"

/** Runs beside the first one. */
const mostAgain = 4

/** Notes of a bundle: a run of more connections is proved without the rest. */
const mostNotes = 64

const otherRows = rowsOf({ run: Schema.String, notary: Schema.String })
const bareRows = rowsOf({ run: Schema.String, bare: Schema.Boolean })

/** Runs beside the first one that are looked at: without notes of every exchange another one of its notary may serve. */
const mostLooked = 1000

/** Which of these runs have an exchange without a note. */
const bareRuns = Effect.fnUntraced(function* (runs: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* wherever(
    runs,
    ({ exchange }) =>
      sql`
        select e.run, bool_or(not exists (select 1 from exchange_note t where t.run = e.run and t.n = e.n)) as bare
        from ${exchange} e where e.run = any(${texts(runs)}) group by e.run limit ${mostLooked}`.pipe(
        bareRows
      ),
    ({ run }) => run
  )
  return new Set(rows.flatMap(({ bare, run }) => (bare ? [run] : [])))
})

/** The newest run of each other notary that gave the same rows, every exchange of which has notes. */
const othersOf = Effect.fnUntraced(function* (run: string) {
  const sql = yield* SqlClient.SqlClient
  const others = yield* sql`
    select o.id as run, o.lot_notary as notary from run r
      join run o on o.plugin = r.plugin and o.rows_sha256 = r.rows_sha256 and o.id <> r.id
        and o.lot_notary <> r.lot_notary and o.hour is not null
        and o.started_at between r.started_at - interval '2 days' and r.started_at + interval '2 days'
    where r.id = ${run} and r.lot_notary is not null
    order by o.lot_notary, o.id desc limit ${mostLooked}`.pipe(otherRows)
  if (others.length === 0) return []
  const bare = yield* bareRuns(others.map(({ run }) => run))
  const newest = Map.groupBy(
    others.filter(({ run }) => !bare.has(run)),
    ({ notary }) => notary
  )
  return [...newest.values()]
    .flatMap(([first]) => (first === undefined ? [] : [first.run]))
    .slice(0, mostAgain)
})

const notesIn = ({ leaf }: Pick<RunProof, "leaf">): ReadonlyArray<string> => {
  const parsed = parseRunLeaf(leaf)
  return parsed.outcome === "skipped" ? [] : parsed.exchanges.flatMap(({ notes }) => notes)
}

/** For a run under the log of `size` entries: those other runs, and the notes that all of them name. */
export const notarisedRuns = Effect.fn("Log.notarisedRuns")(function* (
  run: string,
  logged: RunProof,
  size: number
) {
  const again: Array<RunProof> = []
  for (const other of yield* othersOf(run)) {
    const proof = yield* observedRun(other, size)
    if (proof !== undefined) again.push(proof)
  }
  const named = [logged, ...again].flatMap(notesIn)
  const notes = yield* storedNotes([...new Set(named)].slice(0, mostNotes))
  return { again, notes: notes.map(({ text }) => text) }
})
