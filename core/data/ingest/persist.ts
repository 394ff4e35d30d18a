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
  /** Symbols with a new reading, whether or not it is the latest. */
  const symbols = new Set<string>()
  let fresh = 0
  let revised = 0
  let excluded = 0

  // A failed run has no rows.
  if (runs.every(({ rows }) => rows.length === 0)) {
    return { days: [], changed: [], fresh, revised, excluded, symbols }
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
      symbols.add(row.row.symbol)
      countIn(days, row, row.before !== undefined && (yield* isCounted(row, row.before)))
    }
    return all.filter(({ version }) => version > 0)
  })

  // A transaction sends one statement at a time; meanwhile the next ones are made. None of these reads what another writes,
  // so days and latest rows are made once the last part is classified, while the server keeps its readings.
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
  return { days: written, changed, fresh, revised, excluded, symbols }
})

/** Writes the entries that are there by then, a part while the statement of another is made. */
const inParts = <K, V, A, E, R>(
  entries: ReadonlyMap<K, V>,
  write: (some: ReadonlyMap<K, V>) => Effect.Effect<ReadonlyArray<A>, E, R>
) =>
  Effect.suspend(() =>
    Effect.forEach(Arr.chunksOf(entries, rowsAtOnce), (some) => write(new Map(some)), { concurrency: 2 })
  ).pipe(Effect.map(Arr.flatten))
