/**
 * The only writer of runs and rows. Stores bodies first, so no row refers to a missing one. A one-chunk run is in one
 * transaction, with others that are written together with it. A longer run stores its remaining rows until the last chunk
 * is written, so a killed process can finish it at the next start (`recover`).
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { definedZeros } from "../../plugin/methods.ts"
import type { Observation } from "../../plugin/Value.ts"
import { providing } from "../../process/providing.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Changes } from "../Changes.ts"
import { Current } from "../read/Current.ts"
import { RecentDays } from "../read/RecentDays.ts"
import { UpstreamClock } from "../UpstreamClock.ts"
import { batchRuns, type CheckedRun } from "./accept/batches.ts"
import { checked } from "./accept/checked.ts"
import type { RunFenced } from "./accept/fence.ts"
import { ofOwner } from "./accept/owners.ts"
import { texts } from "./arrays.ts"
import { Blobs, type BlobsUnavailable } from "./Blobs.ts"
import { candidatesOf } from "./candidate.ts"
import type { Classified } from "./compare/classify.ts"
import { decide, FeedEvidence } from "./compare/confirmation.ts"
import { isDefinable, keepDefined } from "./compare/defined.ts"
import { takeMethods } from "./compare/methodChanges.ts"
import { Registry } from "./Registry.ts"
import type { Delivery } from "./Run.ts"
import { removals } from "./runs/bodyLock.ts"
import { packRows } from "./runs/lines.ts"
import { restored, unfinished } from "./runs/unfinished.ts"
import {
  feedRowsOf,
  none,
  originOf,
  publishRows,
  seriesOf,
  store,
  storeBodies,
  storeInChunks,
  storeRecheck,
  sum,
  type Written
} from "./store.ts"
import { keepLatest, noteNewest } from "./write/latest.ts"
import { withWriterLock } from "./writerLock.ts"

export class Ingest extends Context.Service<
  Ingest,
  {
    /**
     * Stores runs in their order; idempotent. Small ones that follow each other share a transaction, and a failure is that
     * of all that share it. A run whose epoch is over is refused. Rows that the manifest does not allow, and rows of
     * a series that another plugin owns, are dropped and listed with the reason among the run's refused readings, and so are figures of the last good run that this one
     * neither has nor refuses.
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
     * Stores a run that looked again: as any other, but for its rows, which are no readings. Returns those that `write` would
     * have stored.
     */
    readonly keepRecheck: (
      delivery: Delivery
    ) => Effect.Effect<ReadonlyArray<Observation>, SqlError | BlobsUnavailable | RunFenced>
    /**
     * Finishes the runs of a feed that a killed process left half-written, and returns their ids. Call it when the feed gets
     * a new owner, with its epoch, before its next run.
     */
    readonly recover: (
      plugin: string,
      epoch?: number
    ) => Effect.Effect<ReadonlyArray<string>, SqlError | BlobsUnavailable | RunFenced>
  }
>()("core/readings/ingest/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function* () {
      const provided = yield* providing(
        SqlClient.SqlClient,
        Blobs,
        Changes,
        Current,
        RecentDays,
        Registry,
        UpstreamClock,
        FeedEvidence
      )
      return Ingest.of({
        write: provided(write),
        preview: provided(preview),
        keepRecheck: provided(keepRecheck),
        recover: provided(recover)
      })
    })
  ).pipe(Layer.provide(Registry.layer), Layer.provideMerge(Layer.merge(UpstreamClock.layer, Changes.layer)))
}

const write = Effect.fn("Ingest.write")(function* (...deliveries: ReadonlyArray<Delivery>) {
  const { chunk } = yield* Registry
  const before = yield* storedBefore(deliveries)
  const missing = deliveries.filter(({ run }) => !before.complete.includes(run.id))
  yield* storeBodies(missing, 4)
  const runs = yield* Effect.forEach(missing, check)
  let written = none
  for (const batch of batchRuns(runs, chunk)) written = sum(written, yield* store(batch, before.removals))
  return written
})

const storedRows = rowsOf({
  complete: Schema.Array(Schema.String),
  removals: Schema.NullOr(Schema.String)
})

/** Which of the runs are stored completely, and how many removals of bodies there have been. */
const storedBefore = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select array(
      select id from run where complete and id = any(${texts(deliveries.map(({ run }) => run.id))})
    ) as complete, ${removals(sql)} as removals`.pipe(storedRows)
  return row ?? { complete: [], removals: null }
})

const check = Effect.fnUntraced(function* (delivery: Delivery) {
  const { decided, manifestOf } = yield* Registry
  const upstreamClock = yield* UpstreamClock
  if (delivery.run.simulated !== true && delivery.run.rederives === undefined)
    yield* upstreamClock.note(delivery.run.exchanges)
  const { code_hash, plugin } = delivery.run
  const manifest = yield* manifestOf(plugin)
  if (delivery.run.rederives === undefined && decided.get(plugin) !== code_hash) {
    yield* decide(plugin, code_hash)
    yield* takeMethods(manifest)
    decided.set(plugin, code_hash)
  }
  return { delivery, manifest, run: yield* checked(delivery.run, manifest) } satisfies CheckedRun
})

const keepRecheck = Effect.fn("Ingest.keepRecheck")(function* (delivery: Delivery) {
  const before = yield* storedBefore([delivery])
  yield* storeBodies([delivery], 4)
  return yield* storeRecheck(yield* check(delivery), before.removals)
})

const preview = Effect.fn("Ingest.preview")(function* (...deliveries: ReadonlyArray<Delivery>) {
  const { manifestOf, rivalsOf } = yield* Registry
  const current = yield* Current
  const newest = new Map<number, Classified>()
  for (const delivery of deliveries) {
    const manifest = yield* manifestOf(delivery.run.plugin)
    const run = yield* ofOwner(yield* checked(delivery.run, manifest), rivalsOf(manifest.id))
    const feedRows = feedRowsOf(run, manifest, undefined)
    const from = originOf(feedRows, new Date(run.finished), new Map())
    for (const row of candidatesOf({ from, rows: yield* seriesOf(feedRows) })) {
      noteNewest(newest, {
        ...row,
        incident: 0,
        version: 0,
        before: undefined,
        current: true,
        inDoubt: false
      })
    }
  }
  yield* Effect.gen(function* () {
    // Stored like those of a run that is stored: the values are read again after an outage.
    const { defined } = yield* keepDefined([...newest.values()].filter(isDefinable))
    yield* publishRows({ changed: yield* keepLatest(newest, defined), days: [], symbolOf: new Map() })
  }).pipe(withWriterLock, current.change)
})

const recover = Effect.fn("Ingest.recover")(function* (plugin: string, epoch?: number) {
  const { manifestOf } = yield* Registry
  const finished: Array<string> = []
  for (const run of yield* unfinished(plugin)) {
    const rows = yield* restored(run)
    const manifest = yield* manifestOf(plugin)
    const feedRows = { rows, manifest, epoch, defined: definedZeros(manifest, rows.observations) }
    yield* storeInChunks(feedRows, packRows(feedRows.rows.observations), Effect.void)
    finished.push(run.id)
  }
  if (finished.length > 0) yield* Effect.logInfo("finished half-written runs", { runs: finished })
  return finished
})
