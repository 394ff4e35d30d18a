/**
 * The only writer of runs and rows. Stores bodies first, so no row refers to a missing one. A one-chunk run is in one
 * transaction, with others that are written together with it. A longer run stores its remaining rows until the last chunk
 * is written, so a killed process can finish it at the next start (`recover`).
 */
import { Array as Arr, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rivalsOf } from "../../catalog/writers.ts"
import type { Manifest } from "../../plugin/Plugin.ts"
import type { Dependency } from "../../wire/data/dependency.ts"
import { Changes } from "../Changes.ts"
import * as DataClock from "../DataClock.ts"
import { Feeds } from "../Feeds.ts"
import { Current, type LatestRow } from "../read/Current.ts"
import type { VersionRow } from "../read/DayTable.ts"
import { RecentDays } from "../read/RecentDays.ts"
import { rowsOf } from "../rows.ts"
import { UpstreamClock } from "../UpstreamClock.ts"
import { texts } from "./arrays.ts"
import { Blobs, type BlobsUnavailable } from "./Blobs.ts"
import { removals, unremoved } from "./bodyLock.ts"
import { candidatesOf, type Origin, type SeriesRows } from "./candidate.ts"
import { checked } from "./checked.ts"
import type { Classified } from "./classify.ts"
import { fence, type RunFenced } from "./fence.ts"
import { type HashedRun, keepRuns } from "./keepRuns.ts"
import { keepLatest, noteNewest } from "./latest.ts"
import { rowsHash } from "./lines.ts"
import { ofOwner } from "./owners.ts"
import { persist } from "./persist.ts"
import type { Delivery } from "./Run.ts"
import { bySeries } from "./series.ts"
import { complete, keepUnfinished, type Rows, restored, unfinished } from "./unfinished.ts"
import { withWriterLock } from "./writerLock.ts"

const knownRows = rowsOf({
  complete: Schema.Array(Schema.String),
  removals: Schema.NullOr(Schema.String)
})

/** What runs changed. */
export interface Written {
  /** New readings, including revisions. */
  readonly fresh: number
  readonly revised: number
  /** Readings that an incident excludes. */
  readonly excluded: number
}

/**
 * Rows per transaction. PGlite has a single session, and a purchase must not wait behind a long transaction. A server has
 * many, and only other writers of readings wait: nearly every run is in one there.
 */
export const chunkRows = Context.Reference<number>("core/data/ingest/Ingest/chunkRows", {
  defaultValue: () => 1000
})

export class Ingest extends Context.Service<
  Ingest,
  {
    /**
     * Stores runs in their order; idempotent. Small ones that follow each other share a transaction, and a failure is that
     * of all that share it. A run whose epoch is over is refused. Rows that the manifest does not allow, and rows of
     * a series that another plugin owns, are dropped and listed with the reason among the run's refused readings.
     */
    readonly write: (
      ...deliveries: ReadonlyArray<Delivery>
    ) => Effect.Effect<Written, SqlError | BlobsUnavailable | RunFenced>
    /**
     * Serves the runs' rows as the latest ones without storing the runs: nothing of them is recorded, so no day and no leaf
     * comes of them. For runs that `write` stores later, once everything before them is stored.
     */
    readonly preview: (...deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, SqlError>
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
      const rivals = new Map(
        feeds.manifests.map((manifest) => [manifest.id, rivalsOf(manifest, feeds.manifests)])
      )
      const seriesIds = new Map<string, number>()

      const manifestOf = (plugin: string) => {
        const manifest = manifests.get(plugin)
        return manifest === undefined ? Effect.die(`run of unknown feed ${plugin}`) : Effect.succeed(manifest)
      }

      /** Records what a transaction wrote, with the other things that changed, and publishes it once it is committed. */
      const publishing = Effect.fnUntraced(function* (
        {
          changed,
          days,
          symbolOf
        }: {
          readonly changed: ReadonlyArray<LatestRow>
          readonly days: ReadonlyArray<VersionRow>
          readonly symbolOf: ReadonlyMap<number, string>
        },
        others: ReadonlyArray<Dependency> = []
      ) {
        const served = current.changedBy(changed, yield* DataClock.now)
        const recorded = yield* changes.record(
          [
            ...(changed.length > 0 ? (["reads"] as const) : []),
            ...served,
            ...[...new Set(symbolOf.values())].map((symbol) => ({ symbol })),
            ...others
          ],
          // With those whose reading is neither the latest nor of a recent day: other processes know symbols by their series.
          [...[...changed, ...days].map(({ series }) => series), ...symbolOf.keys()]
        )
        yield* sql.afterCommit(Effect.andThen(recent.apply({ days }), current.apply(changed, [], recorded)))
      })

      const fenced = <A, E, R>(kept: ReadonlyArray<Kept>, work: Effect.Effect<A, E, R>) =>
        Effect.andThen(
          Effect.forEach(kept, ({ epoch, rows }) => fence(rows.plugin, epoch), { discard: true }),
          work
        )

      /** Under the writer lock, so nothing that a day's batch left out is recorded before that batch. */
      const keepRows = Effect.fnUntraced(function* (
        found: ReadonlyArray<readonly [Kept, ReadonlyArray<SeriesRows>]>
      ) {
        const now = new Date(yield* DataClock.now)
        return yield* persist(found.map(([kept, rows]) => ({ from: originOf(kept, now), rows })))
      })

      /** Publishes what a transaction kept with its commit: a later one may fail. */
      const publish = Effect.fnUntraced(function* (
        kept: Effect.Success<ReturnType<typeof keepRows>>,
        others: ReadonlyArray<Dependency> = []
      ) {
        yield* publishing(kept, [
          ...others,
          ...(kept.revised > 0 ? (["revisions"] as const) : []),
          ...(kept.excluded > 0 ? (["incidents"] as const) : [])
        ])
        const { excluded, fresh, revised } = kept
        return { excluded, fresh, revised } satisfies Written
      })

      /** Stores whole runs, all in one transaction: `begin` them, and their rows. */
      const keepWhole = <E>(
        found: ReadonlyArray<readonly [Kept, ReadonlyArray<SeriesRows>]>,
        begin: Effect.Effect<unknown, E, SqlClient.SqlClient>
      ) => {
        const kept = found.map(([kept]) => kept)
        const completed = Effect.andThen(begin, complete(kept.map(({ rows }) => rows.id)))
        // Neither reads what the other writes: one makes its statements while the server is at one of the other's.
        return Effect.all([keepRows(found), completed], { concurrency: 2 }).pipe(
          Effect.flatMap(([written]) => publish(written, ["runs"])),
          (work) => withWriterLock(fenced(kept, work)),
          changes.publishing,
          current.change
        )
      }

      /** Runs `first`, then stores the rows of a run in chunks, each in a transaction of its own. */
      const keepInChunks = Effect.fnUntraced(function* <E>(
        kept: Kept,
        first: Effect.Effect<unknown, E, SqlClient.SqlClient>
      ) {
        const { id, observations } = kept.rows
        yield* sql.withTransaction(fenced([kept], first))
        let written = none
        const chunks = Arr.chunksOf(observations, chunk)
        const found = (n: number) => bySeries(chunks[n] ?? [], kept.manifest, seriesIds)
        let rows = yield* found(0)
        for (const n of chunks.keys()) {
          const keep = withWriterLock(fenced([kept], Effect.flatMap(keepRows([[kept, rows]]), publish)), {
            soon: true
          })
          // A server finds the series of the next chunk while it stores this one; an embedded one does so after it.
          const [more, next] = yield* Effect.all([changes.publishing(keep), found(n + 1)], { concurrency: 2 })
          written = sum(written, more)
          rows = next
        }
        yield* sql.withTransaction(fenced([kept], Effect.andThen(complete([id]), changes.tell("runs"))))
        return written
      })

      const storeBodies = (runs: ReadonlyArray<Delivery>, concurrency: number) =>
        Effect.forEach(
          new Map(runs.flatMap(({ bodies }) => [...bodies])),
          ([sha256, body]) => blobs.put(sha256, body),
          { concurrency, discard: true }
        )

      const write = Effect.fn("Ingest.write")(
        function* (...deliveries: ReadonlyArray<Delivery>) {
          const [known] = yield* sql`
            select array(
              select id from run where complete and id = any(${texts(deliveries.map(({ run }) => run.id))})
            ) as complete, ${removals(sql)} as removals`.pipe(knownRows)
          const given = deliveries.filter(({ run }) => known?.complete.includes(run.id) !== true)
          yield* storeBodies(given, 4)

          /** Stores runs without their rows. */
          const begin = (runs: ReadonlyArray<Begun>) =>
            Effect.gen(function* () {
              // Those that were there and have been removed meanwhile are stored again, while nobody can remove them.
              if (!(yield* unremoved(known?.removals ?? null))) {
                yield* storeBodies(
                  runs.map(({ delivery }) => delivery),
                  1
                )
              }
              yield* keepRuns(runs)
            })

          const keepTogether = (runs: ReadonlyArray<Whole>) =>
            runs.length === 0
              ? Effect.succeed(none)
              : keepWhole(
                  runs.map(({ found, kept }) => [kept, found]),
                  begin(runs)
                )

          let written = none
          let whole: Array<Whole> = []
          for (const delivery of given) {
            if (delivery.run.simulated !== true) yield* upstreamClock.note(delivery.run.exchanges)
            const manifest = yield* manifestOf(delivery.run.plugin)
            const run = yield* ofOwner(yield* checked(delivery.run, manifest), rivals.get(manifest.id) ?? [])
            const { finished, id, observations, plugin } = run
            const rows: Rows = { id, plugin, finished, simulated: run.simulated === true, observations }
            // It begins at the next wait: while the server is at the series, or at the start of the transaction.
            const hash = yield* Effect.forkChild(rowsHash(observations))
            const begun: Begun = { delivery, run, hash, kept: { rows, manifest, epoch: delivery.epoch } }
            if (observations.length > chunk) {
              written = sum(written, yield* keepTogether(whole))
              whole = []
              const first = Effect.andThen(begin([begun]), keepUnfinished(run))
              written = sum(written, yield* current.change(keepInChunks(begun.kept, first)))
              continue
            }
            const found = yield* bySeries(observations, manifest, seriesIds)
            if (!haveRoom(whole, found, chunk)) {
              written = sum(written, yield* keepTogether(whole))
              whole = []
            }
            whole.push({ ...begun, found })
          }
          return sum(written, yield* keepTogether(whole))
        },
        Effect.provideService(RecentDays, recent),
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      const preview = Effect.fn("Ingest.preview")(
        function* (...deliveries: ReadonlyArray<Delivery>) {
          const newest = new Map<number, Classified>()
          for (const { run } of deliveries) {
            const manifest = yield* manifestOf(run.plugin)
            const { finished, id, observations, plugin } = yield* ofOwner(
              yield* checked(run, manifest),
              rivals.get(manifest.id) ?? []
            )
            const kept: Kept = {
              rows: { id, plugin, finished, simulated: run.simulated === true, observations },
              manifest,
              epoch: undefined
            }
            const from = originOf(kept, new Date(finished))
            const rows = yield* bySeries(observations, manifest, seriesIds)
            for (const row of candidatesOf({ from, rows })) {
              noteNewest(newest, { ...row, incident: 0, version: 0, before: undefined, current: true })
            }
          }
          yield* keepLatest(newest).pipe(
            Effect.flatMap((changed) => publishing({ changed, days: [], symbolOf: new Map() })),
            withWriterLock,
            current.change
          )
        },
        Effect.provideService(RecentDays, recent),
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      const recover = Effect.fn("Ingest.recover")(
        function* (plugin: string, epoch?: number) {
          const finished: Array<string> = []
          for (const run of yield* unfinished(plugin)) {
            const kept: Kept = { rows: yield* restored(run), manifest: yield* manifestOf(plugin), epoch }
            yield* current.change(keepInChunks(kept, Effect.void))
            finished.push(run.id)
          }
          if (finished.length > 0) yield* Effect.logInfo("finished half-written runs", { runs: finished })
          return finished
        },
        Effect.provideService(RecentDays, recent),
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      return Ingest.of({ write, preview, recover })
    })
  ).pipe(Layer.provideMerge(Layer.merge(UpstreamClock.layer, Changes.layer)))
}

/** A run without its exchanges, which are kept first. */
interface Kept {
  readonly rows: Rows
  readonly manifest: Manifest
  readonly epoch: number | undefined
}

/** A run before its exchanges are kept. */
interface Begun extends HashedRun {
  readonly delivery: Delivery
  readonly kept: Kept
}

/** A run that one transaction can hold, perhaps with others. */
interface Whole extends Begun {
  readonly found: ReadonlyArray<SeriesRows>
}

const none: Written = { fresh: 0, revised: 0, excluded: 0 }

const sum = (a: Written, b: Written): Written => ({
  fresh: a.fresh + b.fresh,
  revised: a.revised + b.revised,
  excluded: a.excluded + b.excluded
})

/** What the rows of a run share that is recorded now; a simulated one was when it ended. */
const originOf = ({ manifest, rows: { finished, id, simulated } }: Kept, now: Date): Origin => ({
  run: id,
  manifest,
  recordedAt: simulated ? new Date(finished) : now,
  simulated
})

/**
 * Whether the rows of one more run can be kept with those of others: `most` rows, and no series twice, because a row is
 * judged by what earlier runs have stored of its series.
 */
const haveRoom = (others: ReadonlyArray<Whole>, one: ReadonlyArray<SeriesRows>, most: number): boolean => {
  const there = others.flatMap(({ found }) => found)
  const series = new Set(there.map(({ series }) => series))
  const count = [...there, ...one].reduce((sum, { rows }) => sum + rows.length, 0)
  return count <= most && !one.some((each) => series.has(each.series))
}
