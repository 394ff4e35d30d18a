/** `/v1/derivation`: every collector run with what it read and returned; bodies are sold separately. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { validValuesCap } from "../../process/errors.ts"
import { hourOf } from "../../proof/runs.ts"
import { Feeds } from "../../readings/Feeds.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { collected } from "../../readings/ingest/collected.ts"
import { notesOfExchange, storedNotes } from "../../readings/ingest/runs/notes.ts"
import { type Raw, wholeNumber } from "../../readings/read/parameters.ts"
import { mayUse } from "../../rights/mayUse.ts"
import { inForce } from "../../rights/Permissions.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { CodeResponse, DerivationResponse, DerivationRun } from "../../wire/log/derivation.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { wherever } from "../runFiles/movedRuns.ts"
import { Sources } from "../Sources.ts"
import { observedRun } from "./observed.ts"

/** Unknown run or code hash. */
export class NotDerived extends Schema.TaggedError<NotDerived>()("NotDerived", { message: Schema.String }) {}

const RunRow = Schema.Struct({
  id: Schema.String,
  plugin: Schema.String,
  started_at: Schema.Date,
  finished_at: Schema.Date,
  run_now: Schema.Date,
  status: Schema.Literals(["ok", "failed"]),
  error_tag: Schema.NullOr(Schema.String),
  error_message: Schema.NullOr(Schema.String),
  code_hash: Schema.String,
  targets_sha256: Schema.String,
  due_at: Schema.NullOr(Schema.Date),
  outcome: Schema.NullOr(Schema.Literals(["stored", "unchanged", "refused", "failed", "recheck"])),
  settings_sha256: Schema.NullOr(Schema.String),
  rows_root: Schema.NullOr(Schema.String),
  hour: Schema.NullOr(Schema.Date),
  settings: Schema.Record(Schema.String, Schema.String),
  n_rows: Schema.Int,
  rows_sha256: Schema.String,
  simulated: Schema.Boolean,
  rederives: Schema.NullOr(Schema.String),
  lot_head: Schema.NullOr(Schema.String),
  lot_notary: Schema.NullOr(Schema.String),
  code_kept: Schema.Boolean
})
interface RunRow extends Schema.Schema.Type<typeof RunRow> {}

const runRows = rowsOf(RunRow.fields)
const idRows = rowsOf({ id: Schema.String })
const exchangeRows = rowsOf({
  run: Schema.String,
  n: Schema.Int,
  method: Schema.String,
  url: Schema.String,
  request_body: Schema.NullOr(Schema.String),
  at: Schema.Date,
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  sha256: Schema.String,
  size: Schema.Int,
  confirmed: Schema.Boolean,
  /** Of its run, all that there are. */
  total: Schema.Int,
  notes: Schema.Array(Schema.String)
})

/** Exchanges shown per run: in a list, and for a single run (more than any collector may make). */
const few = 20
const all = 10_000

/** Runs by their ids, newest first. */
const runsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* wherever(
    ids,
    ({ run }) =>
      sql`
        select r.id, r.plugin, r.started_at, r.finished_at, r.run_now, r.status, r.error_tag, r.error_message, r.code_hash,
          r.targets_sha256, r.due_at, r.outcome, r.settings_sha256, r.rows_root,
          case when exists (select 1 from runs_hour h where h.hour = r.hour) then r.hour end as hour, r.settings, r.n_rows, r.rows_sha256, r.simulated, r.rederives, r.lot_head, r.lot_notary,
          exists (select 1 from code c where c.code_hash = r.code_hash) as code_kept
        from ${run} r
        where r.complete and r.id = any(${texts(ids)}) order by r.id desc limit ${ids.length}`.pipe(runRows),
    ({ id }) => id
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
})

/** The ids of a page of runs, newest first. */
const idsOf = Effect.fnUntraced(function* (filter: {
  readonly before: string | null
  readonly plugin: string | null
  readonly limit: number
}) {
  const sql = yield* SqlClient.SqlClient
  const { before, limit, plugin } = filter
  const rows = yield* sql`
    select r.id from run r
    where r.complete and (${before}::text is null or r.id < ${before}) and (${plugin}::text is null or r.plugin = ${plugin})
    order by r.id desc limit ${limit}`.pipe(idRows)
  // Of those in files, the ones that belong between these: none where a page of newer ones is full.
  const last = rows.length < limit ? "" : (rows.at(-1)?.id ?? "")
  const moved = yield* sql`
    select run as id from moved_run
    where run > ${last} and (${before}::text is null or run < ${before}) and (${plugin}::text is null or plugin = ${plugin})
    order by run desc limit ${limit}`.pipe(idRows)
  return [...new Set([...rows, ...moved].map(({ id }) => id))]
    .sort((a, b) => (a < b ? 1 : -1))
    .slice(0, limit)
})

/** The newest run of a plugin that was neither derived again nor made to compare: it is never in a file. */
const newestIds = Effect.fnUntraced(function* (plugin: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select r.id from run r where r.complete and r.plugin = ${plugin} and ${sql.literal(collected("r"))}
    order by r.id desc limit 1`.pipe(idRows)
})

const describeRuns = Effect.fnUntraced(function* (rows: ReadonlyArray<RunRow>, most: number) {
  const sql = yield* SqlClient.SqlClient
  const { manifests } = yield* Feeds
  const ids = rows.map(({ id }) => id)
  const exchanges = yield* wherever(
    ids,
    (tables) =>
      sql`
        select run, n, method, url, request_body, at, status, headers, sha256, size, confirmed, total, ${notesOfExchange(sql)} as notes
        from (
          select x.*, (count(*) over (partition by x.run))::int as total from ${tables.exchange} x where x.run = any(${texts(ids)})
        ) exchange
        where n < ${most} order by run, n limit ${100 * few + all}`.pipe(exchangeRows),
    ({ run }) => run
  )
  const storedHashes = yield* (yield* Blobs).stored([...new Set(exchanges.map(({ sha256 }) => sha256))])
  const byRun = Map.groupBy(exchanges, ({ run }) => run)
  const permissions = yield* inForce
  return rows.map((row): DerivationRun => {
    const manifest = manifests.find(({ id }) => id === row.plugin)
    return {
      id: row.id,
      plugin: row.plugin,
      ...(row.due_at === null ? {} : { due: isoTime(row.due_at.getTime()) }),
      started: isoTime(row.started_at.getTime()),
      finished: isoTime(row.finished_at.getTime()),
      now: isoTime(row.run_now.getTime()),
      status: row.status,
      ...(row.outcome === null ? {} : { outcome: row.outcome }),
      ...(row.error_tag === null ? {} : { error: { tag: row.error_tag, message: row.error_message ?? "" } }),
      code_hash: row.code_hash,
      code_kept: row.code_kept,
      targets_sha256: row.targets_sha256,
      settings: row.settings,
      ...(row.settings_sha256 === null ? {} : { settings_sha256: row.settings_sha256 }),
      ...(row.rederives === null ? {} : { rederives: row.rederives }),
      n_rows: row.n_rows,
      rows_sha256: row.rows_sha256,
      ...(row.rows_root === null ? {} : { rows_root: row.rows_root }),
      ...(row.hour === null ? {} : { hour: hourOf(row.hour.getTime()) }),
      ...(row.lot_head === null || row.lot_notary === null
        ? {}
        : { lot: { head: row.lot_head, notary: row.lot_notary } }),
      // Neither a collector that is no longer there nor terms that nobody has read say that its bodies may be handed out.
      resell: mayUse(manifest, "bodies", permissions),
      n_exchanges: byRun.get(row.id)?.[0]?.total ?? 0,
      exchanges: (byRun.get(row.id) ?? []).map(
        ({ at, headers, notes, request_body, run: _, total: __, ...exchange }) => ({
          ...exchange,
          ...(notes.length === 0 ? {} : { notes }),
          at: isoTime(at.getTime()),
          ...(request_body === null ? {} : { request_body }),
          ...(most === few ? {} : { headers }),
          body_kept: storedHashes.has(exchange.sha256)
        })
      ),
      ...(row.simulated ? { simulated: true as const } : {})
    }
  })
})

/** One page of runs, newest first. `cursor` is the id of the last run of the previous page. Fails with `BadParameter`. */
export const derivation = Effect.fn("Log.derivation")(function* (params: {
  readonly plugin?: string | undefined
  readonly limit?: Raw
  readonly cursor?: string | undefined
}) {
  const limit = yield* wholeNumber("limit", params.limit, { min: 1, max: 100, fallback: 20 })
  const { manifests } = yield* Feeds
  if (params.plugin !== undefined && !manifests.some(({ id }) => id === params.plugin)) {
    return yield* new BadParameter({
      field: "plugin",
      message: `plugin: unknown collector ${JSON.stringify(params.plugin.slice(0, 64))}; /v1/data-dictionary lists them.`,
      valid_values: manifests.map(({ id }) => id).slice(0, validValuesCap)
    })
  }
  const before = params.cursor?.slice(0, 64) ?? null
  if (before !== null && (yield* runsOf([before])).length === 0) {
    return yield* new BadParameter({
      field: "cursor",
      message: "cursor must be `next_cursor` of the previous page: the id of a run.",
      valid: "`next_cursor` of the previous page"
    })
  }
  const rows = yield* runsOf(yield* idsOf({ before, plugin: params.plugin ?? null, limit: limit + 1 }))
  const page = rows.slice(0, limit)
  const response: DerivationResponse = {
    runs: yield* describeRuns(page, few),
    ...(rows.length > limit ? { next_cursor: page.at(-1)?.id ?? "" } : {})
  }
  return response
})

/** The newest run of a plugin that gave values; undefined before its first. */
export const newestRunOf = Effect.fn("Log.newestRunOf")(function* (plugin: string) {
  const rows = yield* runsOf((yield* newestIds(plugin)).map(({ id }) => id))
  const [run] = yield* describeRuns(rows, few)
  return run
})

/** One run with all its exchanges. Fails with `NotDerived`. */
export const derivationOf = Effect.fn("Log.derivationOf")(function* (id: string) {
  const rows = yield* runsOf([id.slice(0, 64)])
  const [run] = yield* describeRuns(rows, all)
  return run ?? (yield* new NotDerived({ message: `there is no run ${id.slice(0, 64)}.` }))
})

/** The same with its proof in the log, once its hour is in it. Fails with `NotDerived`. */
export const provenDerivationOf = Effect.fn("Log.provenDerivationOf")(function* (id: string) {
  const run = yield* derivationOf(id)
  const observed = yield* observedRun(run.id)
  return observed === undefined ? run : { ...run, observed }
})

const textRows = rowsOf({ text: Schema.String })

/** The targets or the settings of a run by their hash: the bytes that it is of. Fails with `NotDerived`. */
export const inputOf = Effect.fn("Log.inputOf")(function* (sha256: string) {
  const sql = yield* SqlClient.SqlClient
  // Checked first: a text with a NUL is no text to the database.
  const [input] = /^[0-9a-f]{64}$/.test(sha256)
    ? yield* sql`select text from run_input where sha256 = ${sha256}`.pipe(textRows)
    : []
  return (
    input?.text ??
    (yield* new NotDerived({
      message: `no run has targets or settings of the hash ${sha256.slice(0, 64)}; targets_sha256 and settings_sha256 of /v1/derivation name them`
    }))
  )
})

/** What a notary states of a run, by the hash of its note. Fails with `NotDerived`. */
export const noteOf = Effect.fn("Log.noteOf")(function* (sha256: string) {
  // Checked first: a text with a NUL is no text to the database.
  const [note] = /^[0-9a-f]{64}$/.test(sha256) ? yield* storedNotes([sha256]) : []
  return (
    note?.text ??
    (yield* new NotDerived({
      message: `no run has a notary's statement of the hash ${sha256.slice(0, 64)}; \`notes\` of the exchanges in /v1/derivation name them`
    }))
  )
})

/** The files and settings behind a code hash. Fails with `NotDerived`. */
export const codeOf = Effect.fn("Log.codeOf")(function* (codeHash: string) {
  const sources = yield* (yield* Sources).find(codeHash.slice(0, 64))
  if (Option.isNone(sources)) {
    return yield* new NotDerived({ message: `the sources of ${codeHash.slice(0, 64)} are not stored` })
  }
  const { code_hash, files, plugin, settings } = sources.value
  return { code_hash, plugin, files, settings } satisfies CodeResponse
})
