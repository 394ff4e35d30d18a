/**
 * Stores runs in transactions: each is fenced by the owners of its feeds, and published with its commit. The order of a run:
 *
 * 1. `accept/` holds it to its manifest, to the owners of its series and to this process's feeds.
 * 2. `runs/` stores the run itself: its exchanges, inputs and bodies.
 * 3. `compare/` compares its rows with what is stored: which are fresh, revised, held back, unconfirmed.
 * 4. `write/` writes readings, exclusions, days and the latest rows.
 *
 * Then `shapes/` compares its answers with earlier ones, and what changed is published. A step imports none that comes after it.
 */
import { Array as Arr, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import type { Manifest } from "../../plugin/Manifest.ts"
import { definedZeros } from "../../plugin/methods.ts"
import type { Dependency } from "../../wire/data/dependency.ts"
import { Changes } from "../Changes.ts"
import { Current, type LatestRow } from "../read/Current.ts"
import type { VersionRow } from "../read/DayTable.ts"
import { RecentDays } from "../read/RecentDays.ts"
import { withAbsent } from "./accept/absent.ts"
import type { Batch, CheckedRun } from "./accept/batches.ts"
import { fence } from "./accept/fence.ts"
import { ofOwner } from "./accept/owners.ts"
import { bySeries } from "./accept/series.ts"
import { Blobs } from "./Blobs.ts"
import type { Origin, RunRows, SeriesRows } from "./candidate.ts"
import type { Moved } from "./compare/classify.ts"
import { unconfirmedAmong } from "./compare/confirmation.ts"
import { noteDisagreements } from "./compare/disagreements.ts"
import { keepContradictions } from "./contradictions.ts"
import { Registry } from "./Registry.ts"
import type { Delivery, RunResult } from "./Run.ts"
import { unremoved } from "./runs/bodyLock.ts"
import { inputsOf, keepInputs } from "./runs/inputs.ts"
import { type HashedRun, keepRuns } from "./runs/keepRuns.ts"
import { compressed, type PackedRows, packRows } from "./runs/lines.ts"
import { complete, keepUnfinished, type Rows } from "./runs/unfinished.ts"
import { keepShapes, type ShapedRun } from "./shapes/contracts.ts"
import { persist } from "./write/persist.ts"
import { withWriterLock } from "./writerLock.ts"

/** What runs changed. */
export interface Written {
  /** New readings, including revisions. */
  readonly fresh: number
  readonly revised: number
  /** Readings that an incident excludes. */
  readonly excluded: number
}

export const none: Written = { fresh: 0, revised: 0, excluded: 0 }

export const sum = (a: Written, b: Written): Written => ({
  fresh: a.fresh + b.fresh,
  revised: a.revised + b.revised,
  excluded: a.excluded + b.excluded
})

/** The rows of a run, and the ownership of its feed under which they were read. */
export interface FeedRows {
  readonly rows: Rows
  readonly manifest: Manifest
  /** Undefined where one process has the database to itself. */
  readonly epoch: number | undefined
  /** Of all rows of the run, also where `rows` are some of them: a zero is judged by what came with it. */
  readonly defined: ReadonlyMap<string, string>
}

export const feedRowsOf = (run: RunResult, manifest: Manifest, epoch: number | undefined): FeedRows => {
  const { finished, id, now, observations, plugin, rederives } = run
  return {
    rows: {
      id,
      plugin,
      finished,
      simulated: run.simulated === true,
      ...(rederives === undefined ? {} : { rederives: { run: rederives, now } }),
      observations
    },
    manifest,
    epoch,
    defined: definedZeros(manifest, observations)
  }
}

/** What the rows of a run share that is recorded now; a simulated one was when it ended. */
export const originOf = (
  { defined, manifest, rows: { finished, id, rederives, simulated } }: FeedRows,
  now: Date,
  unconfirmed: ReadonlyMap<string, ReadonlySet<number>>
): Origin => ({
  run: id,
  manifest,
  recordedAt: simulated ? new Date(finished) : now,
  confirmedAt: rederives === undefined ? (simulated ? new Date(finished) : now) : new Date(rederives.now),
  rederives: rederives?.run,
  simulated,
  unconfirmed: unconfirmed.has(manifest.id),
  agreed: unconfirmed.get(manifest.id) ?? new Set(),
  defined
})

/** A run with only the rows that its feed owns. */
interface OwnedRun extends HashedRun {
  readonly delivery: Delivery
  readonly feedRows: FeedRows
  readonly packed: PackedRows
  readonly inputs: Effect.Success<ReturnType<typeof inputsOf>>
}

/** Stores a batch; `removals` is how many removals of bodies there had been when its bodies were stored. */
export const store = Effect.fnUntraced(function* (batch: Batch, removals: string | null) {
  const { chunk } = yield* Registry
  const [first] = batch
  return yield* first.run.observations.length > chunk
    ? storeLong(first, removals)
    : storeTogether(batch, removals)
})

/** Stores runs with all their rows in one transaction. */
const storeTogether = Effect.fnUntraced(function* (batch: Batch, removals: string | null) {
  const changes = yield* Changes
  const current = yield* Current
  const runs: Array<OwnedRun> = []
  const rows: Array<readonly [FeedRows, ReadonlyArray<SeriesRows>]> = []
  for (const checked of batch) {
    const run = yield* ownedOf(checked)
    runs.push(run)
    rows.push([run.feedRows, yield* seriesOf(run.feedRows)])
  }
  return yield* Effect.gen(function* () {
    for (const { feedRows } of runs) yield* fenced(feedRows)
    yield* begin(runs, removals)
    const persisted = yield* persistNow(rows)
    const opened = yield* shapesOf(runs, persisted.moved)
    for (const { packed, run } of runs) if (persisted.news.has(run.id)) yield* putRows(packed)
    yield* complete(
      runs.map(({ run }) => run.id),
      persisted.news
    )
    return yield* publish(persisted, ["runs", ...opened])
  }).pipe(withWriterLock, changes.publishing, current.change)
})

/** Stores a run of more rows than one transaction takes. If the process is killed, `recover` finishes it. */
const storeLong = Effect.fnUntraced(function* (checked: CheckedRun, removals: string | null) {
  const run = yield* ownedOf(checked)
  const first = Effect.andThen(begin([run], removals), keepUnfinished(run.run, run.packed))
  return yield* storeInChunks(run.feedRows, Effect.succeed(run.packed), first, (moved) =>
    shapesOf([run], moved)
  )
})

/** Stores a run that looked again, with its bodies and without its rows; returns these as far as they are allowed. */
export const storeRecheck = Effect.fnUntraced(function* (checked: CheckedRun, removals: string | null) {
  const changes = yield* Changes
  const run = yield* ownedOf(checked)
  yield* Effect.gen(function* () {
    yield* fenced(run.feedRows)
    yield* begin([run], removals)
    yield* changes.record(["runs"], [])
  }).pipe(withWriterLock, changes.publishing)
  return run.run.observations
})

/** Compares the answers of runs with what they were; an incident that this opens is a change. */
const shapesOf = Effect.fnUntraced(function* (runs: ReadonlyArray<OwnedRun>, moved: ReadonlyArray<Moved>) {
  const shaped = runs.map(({ delivery, run }): ShapedRun => ({ run, shapes: delivery.shapes ?? [] }))
  const now = new Date(yield* DataClock.now)
  const opened = yield* keepShapes(shaped, moved, now)
  const contradicted = yield* keepContradictions(
    runs.map(({ run }) => run),
    now
  )
  return opened + contradicted > 0 ? (["incidents"] as const) : []
})

/**
 * Runs `first`, then stores the rows (`packed`: the same as lines, which are stored if one of them is new) of a run in chunks, each in a transaction of its own. `last` is in the transaction that
 * completes the run; it gets the rows that moved, and gives what else it changed.
 */
export const storeInChunks = Effect.fnUntraced(
  function* <E, R, E2 = never, R2 = never>(
    feedRows: FeedRows,
    packed: Effect.Effect<PackedRows>,
    first: Effect.Effect<unknown, E, R>,
    last: (moved: ReadonlyArray<Moved>) => Effect.Effect<ReadonlyArray<Dependency>, E2, R2> = () =>
      Effect.succeed([])
  ) {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* Changes
    const { chunk } = yield* Registry
    const { id, observations } = feedRows.rows
    yield* sql.withTransaction(Effect.andThen(fenced(feedRows), first))
    let written = none
    const moved: Array<Moved> = []
    const news = new Set<string>()
    for (const some of Arr.chunksOf(observations, chunk)) {
      const stored = yield* storeChunk({ ...feedRows, rows: { ...feedRows.rows, observations: some } })
      written = sum(written, stored.written)
      moved.push(...stored.moved)
      for (const run of stored.news) news.add(run)
    }
    yield* Effect.gen(function* () {
      yield* fenced(feedRows)
      const others = yield* last(moved)
      if (news.has(id)) yield* putRows(yield* packed)
      yield* complete([id], news)
      yield* changes.tell("runs", ...others)
    }).pipe(sql.withTransaction)
    return written
  },
  (work) => Effect.flatMap(Current, ({ change }) => change(work))
)

const storeChunk = Effect.fnUntraced(function* (chunk: FeedRows) {
  const changes = yield* Changes
  const series = yield* seriesOf(chunk)
  return yield* Effect.gen(function* () {
    yield* fenced(chunk)
    const persisted = yield* persistNow([[chunk, series]])
    return { written: yield* publish(persisted), moved: persisted.moved, news: persisted.news }
  }).pipe((work) => withWriterLock(work, { soon: true }), changes.publishing)
})

const ownedOf = Effect.fnUntraced(function* ({ delivery, manifest, run: checked }: CheckedRun) {
  const registry = yield* Registry
  const own = yield* ofOwner(checked, registry.rivalsOf(manifest.id))
  // What an old run did not have says nothing about the figures of the newest, and one that looked again asked for a part.
  const run =
    own.rederives === undefined && own.recheck === undefined ? yield* withAbsent(own, manifest) : own
  const packed = yield* packRows(run.observations)
  return {
    delivery,
    run,
    packed,
    inputs: yield* inputsOf(delivery),
    hash: packed.sha256,
    root: packed.root,
    feedRows: feedRowsOf(run, manifest, delivery.epoch)
  } satisfies OwnedRun
})

export const seriesOf = Effect.fnUntraced(function* ({ manifest, rows }: FeedRows) {
  return yield* bySeries(rows.observations, manifest, yield* Registry)
})

const fenced = ({ epoch, rows }: FeedRows) => fence(rows.plugin, epoch)

/** Stores runs without their rows. */
const begin = Effect.fnUntraced(function* (runs: ReadonlyArray<OwnedRun>, removals: string | null) {
  // Bodies that were there and have been removed meanwhile are stored again, while nobody can remove them.
  if (!(yield* unremoved(removals))) {
    yield* storeBodies(
      runs.map(({ delivery }) => delivery),
      1
    )
  }
  yield* keepRuns(runs)
  yield* keepInputs(runs.flatMap(({ inputs }) => inputs))
})

/** Stores the rows of a run, which one of them needs to be proved. */
const putRows = Effect.fnUntraced(function* ({ lines, sha256 }: PackedRows) {
  yield* (yield* Blobs).put(sha256, yield* compressed(lines))
})

export const storeBodies = Effect.fnUntraced(function* (
  deliveries: ReadonlyArray<Delivery>,
  concurrency: number
) {
  const blobs = yield* Blobs
  const bodies = new Map(deliveries.flatMap(({ bodies }) => [...bodies]))
  yield* Effect.forEach(bodies, ([sha256, body]) => blobs.put(sha256, body), { concurrency, discard: true })
})

/** Writes rows as recorded now. Under the writer lock, so nothing that a day's batch left out is recorded before that batch. */
const persistNow = Effect.fnUntraced(function* (
  rows: ReadonlyArray<readonly [FeedRows, ReadonlyArray<SeriesRows>]>
) {
  const now = new Date(yield* DataClock.now)
  const unconfirmed = yield* unconfirmedAmong(rows.map(([{ manifest }]) => manifest.id))
  const { pairs } = yield* Registry
  const persisted = yield* persist(
    rows.map(([feedRows, series]): RunRows => ({ from: originOf(feedRows, now, unconfirmed), rows: series }))
  )
  yield* noteDisagreements(pairs, persisted.changed, now)
  return persisted
})

/** Publishes what a transaction wrote with its commit: a later one may fail. */
const publish = Effect.fnUntraced(function* (
  persisted: Effect.Success<ReturnType<typeof persist>>,
  others: ReadonlyArray<Dependency> = []
) {
  const { excluded, fresh, released, revised } = persisted
  yield* publishRows(persisted, [
    ...others,
    ...(revised > 0 ? (["revisions"] as const) : []),
    ...(excluded > 0 || released > 0 ? (["incidents"] as const) : [])
  ])
  return { excluded, fresh, revised } satisfies Written
})

/** Records what a transaction wrote, with the other things that changed, and publishes it once it is committed. */
export const publishRows = Effect.fnUntraced(function* (
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
  const sql = yield* SqlClient.SqlClient
  const changes = yield* Changes
  const current = yield* Current
  const recent = yield* RecentDays
  const recorded = yield* changes.record(
    [
      ...(changed.length > 0 ? (["reads"] as const) : []),
      ...current.changedBy(changed, yield* DataClock.now),
      ...[...new Set(symbolOf.values())].map((symbol) => ({ symbol })),
      ...others
    ],
    // With those whose reading is neither the latest nor of a recent day: other processes know symbols by their series.
    [...[...changed, ...days].map(({ series }) => series), ...symbolOf.keys()]
  )
  yield* sql.afterCommit(Effect.andThen(recent.apply({ days }), current.apply(changed, [], recorded)))
})
