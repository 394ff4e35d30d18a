/** What the log writes of days and of runs: that a batch has sealed a day, and where a run is in the log. In the caller's transaction. */
import { Array as Arr, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { ints, texts } from "./arrays.ts"

/**
 * Seals the rows of `daily` that the row source `input` of the same statement names (series, day, incident, version, n,
 * recorded_at, readings_sha256) and that are as they were read. Returns the keys of those that it sealed.
 */
export const sealing = (sql: SqlClient.SqlClient, batch: number): Statement.Fragment => sql`
  update daily d set sealed_by = ${batch}, readings_sha256 = i.readings_sha256
  from input i where d.series = i.series and d.day = i.day and d.incident = i.incident
    and d.version = i.version and d.sealed_by is null and d.n_observations = i.n
    and d.recorded_at = i.recorded_at
  returning d.series, d.day, d.incident, d.version`

/** Notes that a leaf is of the runs that `input` of the same statement names in `run`: their bodies are kept. */
export const givingLeaves = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`update run set gave_leaf = true where id = any(select distinct run from input) and not gave_leaf`

/** Opens the days that these batches sealed: their close is undone. */
export const unseal = Effect.fnUntraced(function* (batches: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update daily set sealed_by = null, readings_sha256 = null where sealed_by = any(${ints(batches)})`
})

/** A row of `daily`, without what a batch adds to it. */
export interface DayRow {
  readonly series: number
  readonly day: string
  readonly incident: number
  readonly version: number
  readonly as_of: Date
  readonly value: number
  readonly value_text: string | null
  readonly n_observations: number
  readonly verify_url: string
  readonly recorded_at: Date
}

/** A day as a leaf of another copy of the log has it. */
export interface SealedDay extends DayRow {
  readonly simulated: boolean
  readonly readings_sha256: string
  readonly sealed_by: number
}

/** Stores days as their leaves have them, whatever was stored of them. */
export const importDays = Effect.fnUntraced(function* (days: Arr.NonEmptyReadonlyArray<SealedDay>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into daily ${sql.insert(Arr.map(days, (day) => ({ ...day })))}
    on conflict (series, day, incident, version) do update set as_of = excluded.as_of, value = excluded.value,
      value_text = excluded.value_text, n_observations = excluded.n_observations, verify_url = excluded.verify_url,
      recorded_at = excluded.recorded_at, readings_sha256 = excluded.readings_sha256, sealed_by = excluded.sealed_by`
})

/** Notes the hour of runs that the log commits to, and the place of each among them, which is that in `runs`. */
export const placeRuns = Effect.fnUntraced(function* (hour: Date, runs: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update run r set hour = ${hour}, place = t.place
    from unnest(${texts(runs)}, ${ints(runs.map((_, place) => place))}) as t(id, place) where r.id = t.id`
})
