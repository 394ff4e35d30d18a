/** Writes the rows of runs: readings, exclusions, revisions, days and each series' latest row. */
import { Array as Arr, Effect, Fiber, Stream } from "effect"
import { type Candidate, partsOf, type RunRows } from "./candidate.ts"
import { type Classified, classifier } from "./classify.ts"
import { countIn, type Day, isCounted, keepDays } from "./days.ts"
import { lookUp } from "./known.ts"
import { keepLatest, noteNewest } from "./latest.ts"
import { keepReadings } from "./readings.ts"

/** Rows that one statement is about. */
const atOnce = 5000

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

  // The server keeps a part while the next ones are looked up and classified.
  yield* Stream.fromIterable(partsOf(runs, atOnce), { chunkSize: 1 }).pipe(
    Stream.mapEffect(classified),
    Stream.mapEffect(keepReadings, { concurrency: 2, unordered: true }),
    Stream.runDrain
  )

  const [written, changed] = yield* Effect.all(
    [
      Effect.forEach(Arr.chunksOf(days, atOnce), (some) => keepDays(new Map(some)), { concurrency: 2 }),
      Effect.forEach(Arr.chunksOf(newest, atOnce), (some) => keepLatest(new Map(some)), { concurrency: 2 })
    ],
    { concurrency: 2 }
  )
  return { days: written.flat(), changed: changed.flat(), fresh, revised, excluded, symbols }
})
