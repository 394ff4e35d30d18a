/**
 * The only writer of runs and rows. Stores bodies first, so no row refers to a missing one. A one-chunk run is one
 * transaction. A longer run stores its remaining rows until the last chunk is written, so a killed process can finish it
 * at the next start (`recover`).
 */
import { createHash } from "node:crypto"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Array as Arr, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { targetsOf } from "../../catalog/Catalog.ts"
import { type Manifest, type Refusal, refusalOf, symbolsOf } from "../../plugin/Plugin.ts"
import { byName, Observation } from "../../plugin/Value.ts"
import * as DataClock from "../DataClock.ts"
import { Feeds } from "../Feeds.ts"
import { Current, type LatestRow } from "../read/Current.ts"
import { UpstreamClock } from "../UpstreamClock.ts"
import { texts } from "./arrays.ts"
import { Blobs, type BlobsUnavailable } from "./Blobs.ts"
import { type Candidate, classify } from "./classify.ts"
import { persist } from "./persist.ts"
import type { Delivery, RunResult } from "./Run.ts"
import { withWriterLock } from "./writerLock.ts"

/** What a run changed. */
export interface Written {
  /** New readings, including revisions. */
  readonly fresh: number
  readonly revised: number
  /** Readings that an incident excludes. */
  readonly excluded: number
}

/**
 * Rows per transaction. PGlite has a single session, and a purchase must not wait behind a long transaction; a server has
 * many sessions, and each transaction costs eight round trips.
 */
export const chunkRows = Context.Reference<number>("core/data/ingest/Ingest/chunkRows", {
  defaultValue: () => 1000
})

export class Ingest extends Context.Service<
  Ingest,
  {
    /**
     * Stores a run; idempotent. Rows that the manifest does not allow are dropped and listed with the reason among the
     * run's refused readings.
     */
    readonly write: (delivery: Delivery) => Effect.Effect<Written, SqlError | BlobsUnavailable>
    /** Finishes runs left half-written by a killed process; returns their ids. Call at startup. */
    readonly recover: Effect.Effect<ReadonlyArray<string>, SqlError>
  }
>()("core/data/ingest/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const current = yield* Current
      const feeds = yield* Feeds
      const upstreamClock = yield* UpstreamClock
      const chunk = yield* chunkRows
      const manifests = new Map(feeds.manifests.map((manifest) => [manifest.id, manifest]))
      const seriesIds = new Map<string, number>()

      /** The run with only the rows its manifest allows; the plugin thread is not trusted. */
      const checked = Effect.fnUntraced(function* (run: RunResult) {
        const manifest = manifests.get(run.plugin)
        if (manifest === undefined) return yield* Effect.die(`run of unknown feed ${run.plugin}`)
        const symbols = symbolsOf(manifest, targetsOf(manifest.covers))
        const observations: Array<Observation> = []
        const refused: Array<Refusal> = []
        for (const row of run.observations) {
          const reason = isObservation(row) ? refusalOf(manifest, symbols, row) : "not a valid row"
          if (reason === undefined) observations.push(row)
          else refused.push({ symbol: String(row.symbol), metric: String(row.metric), reason })
        }
        if (refused.length > 0) {
          yield* Effect.logError("dropped rows that the manifest does not allow", {
            plugin: run.plugin,
            run: run.id,
            rows: refused.length,
            first: refused[0]
          })
        }
        return { ...run, observations: observations.sort(byName), refused: [...run.refused, ...refused] }
      })

      const keepRun = Effect.fnUntraced(function* (run: RunResult, lines: string) {
        yield* sql`insert into run ${sql.insert({
          id: run.id,
          plugin: run.plugin,
          started_at: new Date(run.started),
          finished_at: new Date(run.finished),
          run_now: new Date(run.now),
          status: run.status,
          error_tag: run.error?.tag ?? null,
          error_message: run.error?.message ?? null,
          code_hash: run.code_hash,
          targets_sha256: run.targets_sha256,
          settings: PgTypes.jsonb(run.settings),
          n_rows: run.observations.length,
          rows_sha256: sha256(lines),
          refused: PgTypes.jsonb(run.refused),
          simulated: run.simulated === true,
          complete: false
        })} on conflict do nothing`
        for (const part of Arr.chunksOf(run.exchanges, 500)) {
          yield* sql`insert into exchange ${sql.insert(
            Arr.map(part, (exchange) => ({
              run: run.id,
              n: exchange.n,
              method: exchange.method,
              url: exchange.url,
              request_body: exchange.request_body ?? null,
              at: new Date(exchange.at),
              status: exchange.status,
              headers: PgTypes.jsonb(exchange.headers),
              sha256: exchange.sha256,
              size: exchange.size,
              confirmed: exchange.confirmed
            }))
          )} on conflict do nothing`
        }
      })

      /** Adds each row's series, creating new ones. Duplicate rows count once. */
      const candidatesOf = Effect.fnUntraced(function* (
        rows: ReadonlyArray<Observation>,
        { id: plugin, tier }: Manifest
      ) {
        // Rows are sorted by series and time, so a series starts wherever one of its names changes.
        const firsts = rows.filter((row, n) => !sameSeries(rows[n - 1], row))
        const unknown = [...new Map(firsts.map((row) => [seriesKey(row), row]))].flatMap(([key, row]) =>
          seriesIds.has(key) ? [] : [row]
        )
        if (unknown.length > 0) {
          const made = yield* sql<{ id: number; symbol: string; metric: string; source: string }>`
            insert into series (symbol, metric, source, unit, plugin, tier)
            select symbol, metric, source, unit, ${plugin}, ${tier}
            from unnest(${texts(unknown.map(({ symbol }) => symbol))},
              ${texts(unknown.map(({ metric }) => metric))}, ${texts(unknown.map(({ source }) => source))},
              ${texts(unknown.map(({ unit }) => unit))}) as t(symbol, metric, source, unit)
            on conflict (symbol, metric, source)
              do update set plugin = excluded.plugin, tier = excluded.tier, unit = excluded.unit
            returning id, symbol, metric, source`
          for (const row of made) seriesIds.set(seriesKey(row), row.id)
        }
        const candidates: Array<Candidate> = []
        for (const row of rows) {
          const before = candidates.at(-1)
          const same = sameSeries(before?.row, row)
          const series = same ? before?.series : seriesIds.get(seriesKey(row))
          if (series === undefined) return yield* Effect.die(`no series for ${seriesKey(row)}`)
          const asOf = new Date(row.as_of)
          if (!same || before?.asOf.getTime() !== asOf.getTime()) candidates.push({ series, asOf, row })
        }
        return candidates
      })

      const complete = (run: string) =>
        sql`delete from unfinished where run = ${run}`.pipe(
          Effect.andThen(sql`update run set complete = true where id = ${run}`)
        )

      /** Runs `first`, then stores the rows, in one transaction or one per chunk. */
      const keepAll = Effect.fn("Ingest.keep")(function* (
        run: Rows,
        first: Effect.Effect<unknown, SqlError>
      ) {
        const manifest = manifests.get(run.plugin)
        if (manifest === undefined) return yield* Effect.die(`run of unknown feed ${run.plugin}`)
        const recordedAt = new Date(run.simulated ? run.finished : yield* DataClock.now)
        const about = {
          run: run.id,
          plugin: run.plugin,
          tier: manifest.tier,
          recordedAt,
          simulated: run.simulated
        }
        const written = { fresh: 0, revised: 0, excluded: 0 }
        const changed: Array<LatestRow> = []
        const keepChunk = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
          return yield* persist(yield* classify(candidates, run.id, manifest, recordedAt), about)
        })
        const take = (kept: Effect.Success<ReturnType<typeof keepChunk>>) => {
          changed.push(...kept.changed)
          written.fresh += kept.fresh
          written.revised += kept.revised
          written.excluded += kept.excluded
        }
        const keep = Effect.gen(function* () {
          if (run.observations.length <= chunk) {
            const candidates = yield* candidatesOf(run.observations, manifest)
            take(
              yield* Effect.andThen(first, keepChunk(candidates)).pipe(
                Effect.tap(() => complete(run.id)),
                withWriterLock
              )
            )
          } else {
            yield* sql.withTransaction(first)
            for (const rows of Arr.chunksOf(run.observations, chunk)) {
              const candidates = yield* candidatesOf(rows, manifest)
              take(yield* withWriterLock(keepChunk(candidates), { soon: true }))
            }
            yield* sql.withTransaction(complete(run.id))
          }
          return written
        })
        // Publishes committed chunks even if a later one failed.
        return yield* keep.pipe(
          Effect.ensuring(Effect.suspend(() => current.apply(changed))),
          Effect.provideService(SqlClient.SqlClient, sql)
        )
      })

      const write = Effect.fn("Ingest.write")(function* ({ bodies, run: given }: Delivery) {
        const [known] = yield* sql<{ complete: boolean }>`select complete from run where id = ${given.id}`
        if (known?.complete === true) return { fresh: 0, revised: 0, excluded: 0 }
        if (given.simulated !== true) yield* upstreamClock.note(given.exchanges)
        const run = yield* checked(given)
        const keepBodies = Effect.forEach(bodies, ([sha256, body]) => blobs.put(sha256, body), {
          discard: true
        })
        const { finished, id, observations, plugin } = run
        const rows: Rows = { id, plugin, finished, simulated: run.simulated === true, observations }
        const lines = linesOf(observations)
        const first = Effect.gen(function* () {
          yield* keepRun(run, lines)
          if (observations.length <= chunk) return
          yield* sql`
            insert into unfinished ${sql.insert({ run: id, rows: zstdCompressSync(lines) })} on conflict do nothing`
        })
        const keepAllRows = keepAll(rows, first)
        return yield* Effect.andThen(keepBodies, keepAllRows).pipe(current.change)
      })

      const recover = Effect.gen(function* () {
        const runs = yield* sql<
          Omit<Rows, "finished" | "observations"> & { finished: Date; rows: Uint8Array }
        >`
          select r.id, r.plugin, r.finished_at as finished, r.simulated, u.rows
          from unfinished u join run r on r.id = u.run order by r.id limit 10000`
        const finished: Array<string> = []
        for (const { rows, ...run } of runs) {
          if (!manifests.has(run.plugin)) {
            yield* Effect.logWarning("half-written run skipped: its plugin is not installed", {
              run: run.id,
              plugin: run.plugin
            })
            continue
          }
          const observations = yield* Effect.orDie(rowsOf(rows))
          yield* current.change(
            keepAll({ ...run, finished: run.finished.toISOString(), observations }, Effect.void)
          )
          finished.push(run.id)
        }
        if (finished.length > 0) yield* Effect.logInfo("finished half-written runs", { runs: finished })
        return finished
      }).pipe(Effect.withSpan("Ingest.recover"))

      return Ingest.of({ write, recover })
    })
  ).pipe(Layer.provideMerge(UpstreamClock.layer))
}

/** What remains of a run once its exchanges are stored. */
interface Rows {
  readonly id: string
  readonly plugin: string
  readonly finished: string
  readonly simulated: boolean
  readonly observations: ReadonlyArray<Observation>
}

const seriesKey = (row: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}): string => `${row.symbol}|${row.metric}|${row.source}`

const sameSeries = (a: Observation | undefined, b: Observation): boolean =>
  a !== undefined && a.symbol === b.symbol && a.metric === b.metric && a.source === b.source

/** The rows as JSON lines, in their order. */
const linesOf = (rows: ReadonlyArray<Observation>): string =>
  rows
    .map(
      ({ as_of, metric, source, symbol, unit, value, value_text, verify_url }) =>
        `${JSON.stringify([symbol, metric, source, as_of, value, value_text ?? null, unit, verify_url])}\n`
    )
    .join("")

/** SHA-256 over the rows as JSON lines, in their order: a repeated derivation must match it. */
export const rowsHash = (rows: ReadonlyArray<Observation>): string => sha256(linesOf(rows))

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const Line = Schema.Tuple([
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.Finite,
  Schema.NullOr(Schema.String),
  Schema.String,
  Schema.String
])
const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(Line))
const isObservation = Schema.is(Observation)
const decodeRow = Schema.decodeUnknownEffect(Observation)

const rowsOf = (bytes: Uint8Array) =>
  Effect.forEach(zstdDecompressSync(bytes).toString().trimEnd().split("\n"), (text) =>
    Effect.flatMap(decodeLine(text), ([symbol, metric, source, as_of, value, value_text, unit, verify_url]) =>
      decodeRow({
        symbol,
        metric,
        source,
        as_of,
        value,
        unit,
        verify_url,
        ...(value_text === null ? {} : { value_text })
      })
    )
  )
