/** The leaves of an hour's runs, from what is stored of them. */
import { hash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import { canonical } from "../proof/canonical.ts"
import { tagged } from "../proof/leaf.ts"
import {
  compareRunLeaves,
  hourBegins,
  longestUrl,
  type RanLeaf,
  type RunExchange,
  runLeafTag
} from "../proof/runLeaf.ts"
import { refusedOf } from "../readings/ingest/accept/absent.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { notesOfExchange } from "../readings/ingest/runs/notes.ts"
import type { RunTables } from "../readings/ingest/runs/wholeRuns.ts"
import { rowsOf } from "../sql/rows.ts"
import { wherever } from "./runFiles/movedRuns.ts"

const RunRow = Schema.Struct({
  id: Schema.String,
  plugin: Schema.String,
  due_at: Schema.NullOr(Schema.Date),
  started_at: Schema.Date,
  finished_at: Schema.Date,
  run_now: Schema.Date,
  outcome: Schema.Literals(["stored", "unchanged", "refused", "failed", "recheck"]),
  code_hash: Schema.String,
  targets_sha256: Schema.String,
  settings_sha256: Schema.String,
  rows_root: Schema.String,
  n_rows: Schema.Int,
  n_refused: Schema.Int,
  rederives: Schema.NullOr(Schema.String),
  lot_head: Schema.NullOr(Schema.String),
  lot_notary: Schema.NullOr(Schema.String),
  lot_from: Schema.NullOr(Schema.String)
})
interface RunRow extends Schema.Schema.Type<typeof RunRow> {}

const ExchangeRow = Schema.Struct({
  run: Schema.String,
  method: Schema.Literals(["GET", "POST", "LISTEN"]),
  url: Schema.String,
  request_body: Schema.NullOr(Schema.String),
  at: Schema.Date,
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  sha256: Schema.String,
  confirmed: Schema.Boolean,
  notes: Schema.Array(Schema.String)
})
interface ExchangeRow extends Schema.Schema.Type<typeof ExchangeRow> {}

const runRows = rowsOf(RunRow.fields)
const exchangeRows = rowsOf(ExchangeRow.fields)

/** Runs whose exchanges are read at once, the most of an hour, and the most exchanges that either can have. */
const runsAtOnce = 50
const runsOfHour = 1_000_000
const exchangesAtOnce = 10_000_000

const sha256Of = (text: string): string => hash("sha256", text)
const time = (date: Date): string => isoTime(date.getTime())

const exchangeOf = ({
  at,
  confirmed,
  headers,
  method,
  notes,
  request_body,
  sha256,
  status,
  url
}: ExchangeRow): RunExchange => ({
  method,
  ...(url.length > longestUrl ? { url_sha256: sha256Of(url) } : { url }),
  ...(request_body === null ? {} : { request_sha256: sha256Of(request_body) }),
  at: time(at),
  status,
  ...(Object.keys(headers).length === 0 ? {} : { headers_sha256: sha256Of(canonical(headers)) }),
  sha256,
  ...(confirmed ? { confirmed: true as const } : {}),
  notes
})

/** Runs of these tables, all or those of these ids. */
const runsIn = (sql: SqlClient.SqlClient, { run }: RunTables, ids?: ReadonlyArray<string>) =>
  sql`
    select id, plugin, due_at, started_at, finished_at, run_now, outcome, code_hash, targets_sha256, settings_sha256,
      rows_root, n_rows, ${sql.literal(refusedOf("refused"))} as n_refused, rederives, lot_head, lot_notary, lot_from
    from ${run} as run ${ids === undefined ? sql`` : sql`where id = any(${texts(ids)})`}
    order by id limit ${runsOfHour}`.pipe(runRows)

const exchangesIn = (sql: SqlClient.SqlClient, { exchange }: RunTables, ids?: ReadonlyArray<string>) =>
  sql`
    select run, method, url, request_body, at, status, headers, sha256, confirmed, ${notesOfExchange(sql)} as notes
    from ${exchange} as exchange ${ids === undefined ? sql`` : sql`where run = any(${texts(ids)})`}
    order by run, n limit ${exchangesAtOnce}`.pipe(exchangeRows)

/** Runs that have a leaf to come: the ids of those of the hour, and of earlier ones, are in `ids`. In the order of their leaves. */
export const leavesOfRuns = Effect.fn("runLeaves.leavesOfRuns")(function* (
  ids: ReadonlyArray<string>,
  hour: string,
  simulated: boolean
) {
  const sql = yield* SqlClient.SqlClient
  const leaves: Array<RanLeaf> = []
  for (let from = 0; from < ids.length; from += runsAtOnce) {
    const some = ids.slice(from, from + runsAtOnce)
    const runs = yield* wherever(
      some,
      (tables) => runsIn(sql, tables, some),
      ({ id }) => id
    )
    const exchanges = yield* wherever(
      some,
      (tables) => exchangesIn(sql, tables, some),
      ({ run }) => run
    )
    leaves.push(...leavesWith(runs, exchanges, hour, simulated))
    yield* Effect.yieldNow
  }
  return leaves.sort(compareRunLeaves)
})

/** The leaves of all runs that these tables stand for. */
export const leavesFrom = Effect.fnUntraced(function* (tables: RunTables, hour: string, simulated: boolean) {
  const sql = yield* SqlClient.SqlClient
  return leavesWith(yield* runsIn(sql, tables), yield* exchangesIn(sql, tables), hour, simulated)
})

const leavesWith = (
  runs: ReadonlyArray<RunRow>,
  exchanges: ReadonlyArray<ExchangeRow>,
  hour: string,
  simulated: boolean
): ReadonlyArray<RanLeaf> => {
  const byRun = Map.groupBy(exchanges, ({ run }) => run)
  return runs.map((run) => leafOf(run, byRun.get(run.id) ?? [], hour, simulated))
}

const leafOf = (
  run: RunRow,
  exchanges: ReadonlyArray<ExchangeRow>,
  hour: string,
  simulated: boolean
): RanLeaf => ({
  v: tagged(runLeafTag, simulated),
  run: run.id,
  plugin: run.plugin,
  ...(run.due_at === null ? {} : { due: time(run.due_at) }),
  began: time(run.started_at),
  // Earlier versions stored what a clock that was set back said.
  ended: isoTime(Math.max(run.started_at.getTime(), run.finished_at.getTime())),
  now: time(run.run_now),
  outcome: run.outcome,
  code_hash: run.code_hash,
  targets_sha256: run.targets_sha256,
  settings_sha256: run.settings_sha256,
  rows_root: run.rows_root,
  n_rows: run.n_rows,
  n_refused: run.n_refused,
  exchanges: exchanges.map(exchangeOf),
  ...(run.lot_head === null || run.lot_notary === null
    ? {}
    : {
        lot: {
          head: run.lot_head,
          notary: run.lot_notary,
          ...(run.lot_from === null ? {} : { from: run.lot_from })
        }
      }),
  ...(run.rederives === null ? {} : { rederives: run.rederives }),
  ...(run.finished_at.getTime() < hourBegins(hour) ? { late: true as const } : {}),
  ...(simulated ? { simulated: true as const } : {})
})
