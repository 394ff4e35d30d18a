/**
 * The only writer of runs and rows. Bodies come first, so that no row names one that is not there. A run of one chunk
 * is one transaction; a longer one keeps its rows beside it until the last chunk is in, so that a process that was
 * killed between two chunks finishes it at its next start (`recover`).
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
  /** Readings that were not there before, revisions among them. */
  readonly fresh: number
  readonly revised: number
  /** Readings that an incident excludes. */
  readonly excluded: number
}

/**
 * Rows of one transaction. PGlite is one session, and a purchase must not wait behind a long one; a server
 * has one for each, and every transaction costs it eight round trips.
 */
export const chunkRows = Context.Reference<number>("core/data/ingest/Ingest/chunkRows", {
  defaultValue: () => 1000
})

export class Ingest extends Context.Service<
  Ingest,
  {
    /**
     * Keeps a run; giving the same run again changes nothing. Rows that its manifest does not allow are left out, and
     * stand among the refused readings of the run with the reason.
     */
    readonly write: (delivery: Delivery) => Effect.Effect<Written, SqlError | BlobsUnavailable>
    /** Finishes the runs that a process left half-written when it was killed; gives their ids. To be called at the start. */
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

      /** The run with the rows that its manifest allows: the thread in which plugins run is not trusted. */
      const checked = Effect.fnUntraced(function* (run: RunResult) {
        const manifest = manifests.get(run.plugin)
        if (manifest === undefined) return yield* Effect.die(`a run of ${run.plugin}, which is no feed`)
        const symbols = symbolsOf(manifest, targetsOf(manifest.covers))
        const observations: Array<Observation> = []
        const refused: Array<Refusal> = []
        for (const row of run.observations) {
          const reason = isObservation(row) ? refusalOf(manifest, symbols, row) : "it is not a row"
          if (reason === undefined) observations.push(row)
          else refused.push({ symbol: String(row.symbol), metric: String(row.metric), reason })
        }
        if (refused.length > 0) {
          yield* Effect.logError("rows that the manifest does not allow are refused", {
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

      /** The rows with their series, which are made where they are new. A row that says one thing twice counts once. */
      const candidatesOf = Effect.fnUntraced(function* (
        rows: ReadonlyArray<Observation>,
        { id: plugin, tier }: Manifest
      ) {
        // Rows come sorted by series and time: each series begins where one of its names changes.
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

      /** Keeps the rows of a run, and `first` before them, in one transaction or in one a chunk. */
      const keepAll = Effect.fn("Ingest.keep")(function* (
        run: Rows,
        first: Effect.Effect<unknown, SqlError>
      ) {
        const manifest = manifests.get(run.plugin)
        if (manifest === undefined) return yield* Effect.die(`a run of ${run.plugin}, which is no feed`)
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
        // What was committed shows, also where a later chunk failed.
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
            yield* Effect.logWarning("a half-written run waits for its plugin", {
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

/** What is left of a run once its exchanges are kept. */
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

/** SHA-256 over the rows as JSON lines, in their order: what a derivation that is done again must match. */
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
