/** Writes the rows of runs: readings, exclusions, revisions, days and each series' latest row. */
import { Array as Arr, Effect, Fiber, Latch, Stream } from "effect"
import { rowsAtOnce } from "./arrays.ts"
import { type Candidate, partsOf, type RunRows } from "./candidate.ts"
import { type Classified, classifier } from "./classify.ts"
import { countIn, type Day, isCounted, keepDays } from "./days.ts"
import { lookUp } from "./known.ts"
import { keepLatest, noteNewest } from "./latest.ts"
import { keepReadings } from "./readings.ts"

/**
 * Call in a transaction, with runs that have no series in common. Returns the resulting latest rows, and the recent days.
 * Of many rows, only those of a few statements are held classified.
 */
export const persist = Effect.fnUntraced(function* (runs: ReadonlyArray<RunRows>) {
  const days = new Map<string, Day>()
  const newest = new Map<number, Classified>()
  /** Series with a new reading, be it old, and their symbols. */
  const symbolOf = new Map<number, string>()
  let fresh = 0
  let revised = 0
  let excluded = 0

  // A failed run has no rows.
  if (runs.every(({ rows }) => rows.length === 0)) {
    return { days: [], changed: [], fresh, revised, excluded, symbolOf }
  }
  const judge = yield* Effect.forkChild(classifier(runs), { startImmediately: true })

  const classified = Effect.fnUntraced(function* (rows: ReadonlyArray<Candidate>) {
    const known = yield* lookUp(rows)
    const classify = yield* Fiber.join(judge)
    const all = yield* classify(rows, known)
    for (const row of all) {
      if (row.incident > 0) excluded++
      noteNewest(newest, row)
      if (row.version === 0) continue
      fresh++
      if (row.before !== undefined) revised++
      symbolOf.set(row.series, row.row.symbol)
      countIn(days, row, row.before !== undefined && (yield* isCounted(row, row.before)))
    }
    return all.filter(({ version }) => version > 0)
  })

  // A transaction sends one statement at a time, and the next ones are made meanwhile. Days and latest rows do not read what
  // the readings write: they are made as soon as the last part is classified, while the server still keeps its readings.
  const complete = yield* Latch.make()
  const readings = Stream.fromIterable(partsOf(runs, rowsAtOnce), { chunkSize: 1 }).pipe(
    Stream.mapEffect(classified),
    Stream.onEnd(complete.open),
    Stream.mapEffect(keepReadings, { concurrency: 2, unordered: true }),
    Stream.runDrain
  )
  const [, written, changed] = yield* Effect.all(
    [readings, complete.whenOpen(inParts(days, keepDays)), complete.whenOpen(inParts(newest, keepLatest))],
    { concurrency: 3 }
  )
  return { days: written, changed, fresh, revised, excluded, symbolOf }
})

/** Writes what the map holds when this runs, in parts: the statement of one is made while the server is at another. */
const inParts = <K, V, A, E, R>(
  entries: ReadonlyMap<K, V>,
  write: (some: ReadonlyMap<K, V>) => Effect.Effect<ReadonlyArray<A>, E, R>
) =>
  Effect.suspend(() =>
    Effect.forEach(Arr.chunksOf(entries, rowsAtOnce), (some) => write(new Map(some)), { concurrency: 2 })
  ).pipe(Effect.map(Arr.flatten))
