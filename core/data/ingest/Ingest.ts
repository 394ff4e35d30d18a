/**
 * The only writer of runs and rows. Stores bodies first, so no row refers to a missing one. A one-chunk run is one
 * transaction. A longer run stores its remaining rows until the last chunk is written, so a killed process can finish it
 * at the next start (`recover`).
 */
import { Array as Arr, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { targetsOf } from "../../catalog/Catalog.ts"
import { type Manifest, type Refusal, refusalOf, symbolsOf } from "../../plugin/Plugin.ts"
import { byName, Observation } from "../../plugin/Value.ts"
import type { Dependency } from "../../wire/data/dependency.ts"
import { Changes } from "../Changes.ts"
import * as DataClock from "../DataClock.ts"
import { Feeds } from "../Feeds.ts"
import { Current, type LatestRow } from "../read/Current.ts"
import type { VersionRow } from "../read/DayTable.ts"
import { RecentDays } from "../read/RecentDays.ts"
import { rowsOf } from "../rows.ts"
import { UpstreamClock } from "../UpstreamClock.ts"
import { Blobs, type BlobsUnavailable } from "./Blobs.ts"
import { removals, unremoved } from "./bodyLock.ts"
import { type Candidate, classify } from "./classify.ts"
import { fence, type RunFenced } from "./fence.ts"
import { keepRun } from "./keepRun.ts"
import { linesOf } from "./lines.ts"
import { keepLatest, persist } from "./persist.ts"
import type { Delivery, RunResult } from "./Run.ts"
import { candidatesOf } from "./series.ts"
import { complete, keepUnfinished, type Rows, restored, unfinished } from "./unfinished.ts"
import { withWriterLock } from "./writerLock.ts"

const knownRows = rowsOf({
  complete: Schema.NullOr(Schema.Boolean),
  removals: Schema.NullOr(Schema.String)
})

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
     * Stores a run; idempotent. A run whose epoch is over is refused. Rows that the manifest does not allow are dropped and listed with the reason among the
     * run's refused readings.
     */
    readonly write: (delivery: Delivery) => Effect.Effect<Written, SqlError | BlobsUnavailable | RunFenced>
    /**
     * Serves a run's rows as the latest ones without storing the run: nothing of it is recorded, so no day and no leaf
     * comes of it. For a run that `write` stores later, once everything before it is stored.
     */
    readonly preview: (delivery: Delivery) => Effect.Effect<void, SqlError>
    /**
     * Finishes the runs of a feed that a killed process left half-written, and returns their ids. Call it when the feed gets
     * a new owner, with its epoch, before its next run.
     */
    readonly recover: (
      plugin: string,
      epoch?: number
    ) => Effect.Effect<ReadonlyArray<string>, SqlError | RunFenced>
  }
>()("core/data/ingest/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const blobs = yield* Blobs
      const current = yield* Current
      const recent = yield* RecentDays
      const changes = yield* Changes
      const feeds = yield* Feeds
      const upstreamClock = yield* UpstreamClock
      const chunk = yield* chunkRows
      const manifests = new Map(feeds.manifests.map((manifest) => [manifest.id, manifest]))
      const seriesIds = new Map<string, number>()

      const manifestOf = (plugin: string) => {
        const manifest = manifests.get(plugin)
        return manifest === undefined ? Effect.die(`run of unknown feed ${plugin}`) : Effect.succeed(manifest)
      }

      /** Records what a transaction wrote, with the other things that changed, and publishes it once it is committed. */
      const publishing = Effect.fnUntraced(function* (
        {
          changed,
          days
        }: { readonly changed: ReadonlyArray<LatestRow>; readonly days: ReadonlyArray<VersionRow> },
        others: ReadonlyArray<Dependency> = []
      ) {
        const served = current.changedBy(changed, yield* DataClock.now)
        const recorded = yield* changes.record(
          [...(changed.length > 0 ? (["reads"] as const) : []), ...served, ...others],
          [...changed, ...days].map(({ series }) => series)
        )
        yield* sql.afterCommit(Effect.andThen(recent.apply({ days }), current.apply(changed, [], recorded)))
      })

      /** Runs `first`, then stores the rows, in one transaction or one per chunk. */
      const keepAll = Effect.fn("Ingest.keep")(function* <E>(
        run: Rows,
        epoch: number | undefined,
        first: Effect.Effect<unknown, E, SqlClient.SqlClient>
      ) {
        const manifest = yield* manifestOf(run.plugin)
        const fenced = <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.andThen(fence(run.plugin, epoch), work)
        const written = { fresh: 0, revised: 0, excluded: 0 }
        // Under the writer lock, so nothing that a day's batch left out is recorded before that batch.
        const keepChunk = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>) {
          const recordedAt = new Date(run.simulated ? run.finished : yield* DataClock.now)
          return yield* persist(yield* classify(candidates, run.id, manifest, recordedAt), {
            run: run.id,
            plugin: run.plugin,
            tier: manifest.tier,
            recordedAt,
            simulated: run.simulated
          })
        })
        /** Publishes a chunk with its commit: a later one may fail. */
        const publish = Effect.fnUntraced(function* (
          kept: Effect.Success<ReturnType<typeof keepChunk>>,
          others: ReadonlyArray<Dependency> = []
        ) {
          written.fresh += kept.fresh
          written.revised += kept.revised
          written.excluded += kept.excluded
          yield* publishing(kept, [
            ...others,
            ...(kept.revised > 0 ? (["revisions"] as const) : []),
            ...(kept.excluded > 0 ? (["incidents"] as const) : []),
            ...[...kept.symbols].map((symbol) => ({ symbol }))
          ])
        })
        const keep = Effect.gen(function* () {
          if (run.observations.length <= chunk) {
            const candidates = yield* candidatesOf(run.observations, manifest, seriesIds)
            yield* first.pipe(
              Effect.andThen(keepChunk(candidates)),
              Effect.tap(() => complete(run.id)),
              Effect.flatMap((kept) => publish(kept, ["runs"])),
              fenced,
              withWriterLock,
              changes.publishing
            )
          } else {
            yield* sql.withTransaction(fenced(first))
            for (const rows of Arr.chunksOf(run.observations, chunk)) {
              const candidates = yield* candidatesOf(rows, manifest, seriesIds)
              yield* changes.publishing(
                withWriterLock(fenced(Effect.flatMap(keepChunk(candidates), (kept) => publish(kept))), {
                  soon: true
                })
              )
            }
            yield* sql.withTransaction(fenced(Effect.andThen(complete(run.id), changes.tell("runs"))))
          }
          return written
        })
        return yield* keep.pipe(
          Effect.provideService(RecentDays, recent),
          Effect.provideService(SqlClient.SqlClient, sql)
        )
      })

      const write = Effect.fn("Ingest.write")(function* ({ bodies, epoch, run: given }: Delivery) {
        const [known] = yield* sql`
          select (select complete from run where id = ${given.id}) as complete, ${removals(sql)} as removals`.pipe(
          knownRows
        )
        if (known?.complete === true) return { fresh: 0, revised: 0, excluded: 0 }
        if (given.simulated !== true) yield* upstreamClock.note(given.exchanges)
        const run = yield* checked(given, yield* manifestOf(given.plugin))
        const keepBodies = (concurrency: number) =>
          Effect.forEach(bodies, ([sha256, body]) => blobs.put(sha256, body), { concurrency, discard: true })
        const { finished, id, observations, plugin } = run
        const rows: Rows = { id, plugin, finished, simulated: run.simulated === true, observations }
        const lines = linesOf(observations)
        yield* keepBodies(4)
        const first = Effect.gen(function* () {
          // Those that were there and have been removed meanwhile are stored again, while nobody can remove them.
          if (!(yield* unremoved(known?.removals ?? null))) yield* keepBodies(1)
          yield* keepRun(run, lines)
          if (observations.length > chunk) yield* keepUnfinished(id, lines)
        })
        return yield* current.change(keepAll(rows, epoch, first))
      })

      const preview = Effect.fn("Ingest.preview")(function* ({ run: given }: Delivery) {
        const manifest = yield* manifestOf(given.plugin)
        const { finished, id, observations, plugin } = yield* checked(given, manifest)
        const about = {
          run: id,
          plugin,
          tier: manifest.tier,
          recordedAt: new Date(finished),
          simulated: given.simulated === true
        }
        yield* candidatesOf(observations, manifest, seriesIds).pipe(
          Effect.map(
            Arr.map((row) => ({ ...row, incident: 0, version: 0, before: undefined, current: true }))
          ),
          Effect.flatMap((rows) =>
            withWriterLock(
              Effect.flatMap(keepLatest(rows, about), (changed) => publishing({ changed, days: [] }))
            )
          ),
          current.change,
          Effect.provideService(RecentDays, recent),
          Effect.provideService(SqlClient.SqlClient, sql)
        )
      })

      const recover = Effect.fn("Ingest.recover")(
        function* (plugin: string, epoch?: number) {
          const finished: Array<string> = []
          for (const run of yield* unfinished(plugin)) {
            yield* current.change(keepAll(yield* restored(run), epoch, Effect.void))
            finished.push(run.id)
          }
          if (finished.length > 0) yield* Effect.logInfo("finished half-written runs", { runs: finished })
          return finished
        },
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      return Ingest.of({ write, preview, recover })
    })
  ).pipe(Layer.provideMerge(Layer.merge(UpstreamClock.layer, Changes.layer)))
}

const isObservation = Schema.is(Observation)

/** The run with only the rows its manifest allows; the plugin thread is not trusted. */
const checked = Effect.fnUntraced(function* (run: RunResult, manifest: Manifest) {
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
