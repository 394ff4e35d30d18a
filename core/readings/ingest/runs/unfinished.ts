/** The rows that a run of several chunks has yet to write: a killed process can finish it at the next start. */
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Observation } from "../../../plugin/Value.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { refusedOf } from "../accept/absent.ts"
import { texts } from "../arrays.ts"
import type { RunResult } from "../Run.ts"
import { observationsOf, type PackedRows } from "./lines.ts"

/** A run of which the rows are derived again. */
export interface Rederived {
  readonly run: string
  /** ISO 8601 UTC: the time that its collector saw. */
  readonly now: string
}

/** What remains of a run once its exchanges are stored. */
export interface Rows {
  readonly id: string
  readonly plugin: string
  readonly finished: string
  readonly simulated: boolean
  /** The run that this one derives again, and the time that it ended. */
  readonly rederives?: Rederived
  readonly observations: ReadonlyArray<Observation>
}

/** A half-written run; `rows` are compressed lines. */
const Unfinished = Schema.Struct({
  id: Schema.String,
  plugin: Schema.String,
  finished: Schema.Date,
  simulated: Schema.Boolean,
  rederives: Schema.NullOr(Schema.String),
  run_now: Schema.Date,
  rows: Schema.Uint8Array
})
interface Unfinished extends Schema.Schema.Type<typeof Unfinished> {}

const unfinishedRows = rowsOf(Unfinished.fields)

/** Stores the rows of a run, to be finished if this process is killed. They are compressed before the effect is run. */
export const keepUnfinished = ({ id }: Pick<RunResult, "id">, { lines }: PackedRows) => {
  const rows = zstdCompressSync(lines)
  return Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into unfinished ${sql.insert({ run: id, rows })} on conflict do nothing`
  )
}

/** The half-written runs of a feed, oldest first. */
export const unfinished = Effect.fnUntraced(function* (plugin: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select r.id, r.plugin, r.finished_at as finished, r.simulated, r.rederives, r.run_now, u.rows
    from unfinished u join run r on r.id = u.run where r.plugin = ${plugin} order by r.id limit 10000`.pipe(
    unfinishedRows
  )
})

/** What a half-written run left, as it was handed over. */
export const restored = Effect.fnUntraced(function* ({
  finished,
  rederives,
  rows,
  run_now,
  ...run
}: Unfinished) {
  const observations = yield* Effect.orDie(observationsOf(zstdDecompressSync(rows).toString()))
  const rest: Rows = {
    ...run,
    finished: finished.toISOString(),
    ...(rederives === null ? {} : { rederives: { run: rederives, now: run_now.toISOString() } }),
    observations
  }
  return rest
})

/** Marks runs as complete: all their rows are stored. `news` are those of them that gave readings which were new. */
export const complete = Effect.fnUntraced(function* (runs: ReadonlyArray<string>, news: ReadonlySet<string>) {
  const sql = yield* SqlClient.SqlClient
  const ids = texts(runs)
  yield* sql`
    with finished as (delete from unfinished where run = any(${ids}))
    update run set complete = true, outcome = case
        when rows_root is null then null
        when status = 'failed' then 'failed'
        when id = any(${texts([...news])}) then 'stored'
        when n_rows = 0 and ${sql.literal(refusedOf("refused"))} > 0 then 'refused'
        else 'unchanged' end
    where id = any(${ids})`
})
