/** Writes the rows of runs: readings, exclusions, revisions, days and each series' latest row. */
import { Array as Arr, Effect, Fiber } from "effect"
import type { Reported, RunRows } from "./candidate.ts"
import { type Classified, classifier } from "./classify.ts"
import { countIn, type Day, keepDays } from "./days.ts"
import { lookUp } from "./known.ts"
import { keepLatest, noteNewest } from "./latest.ts"
import { keepReadings } from "./readings.ts"

/** Rows that one statement is about. */
const atOnce = 5000

/**
 * Call in a transaction, with runs that have no series in common. Returns the resulting latest rows, and the recent days.
 * Of many rows, only those of one statement are held classified.
 */
export const persist = Effect.fnUntraced(function* (runs: ReadonlyArray<RunRows>) {
  const days = new Map<string, Day>()
  const newest = new Map<number, Classified>()
  /** Symbols with a new reading, whether or not it is the latest. */
  const symbols = new Set<string>()
  let fresh = 0
  let revised = 0
  let excluded = 0

  const parts = partsOf(runs)
  const first = parts.next().value
  // A failed run has no rows.
  if (first === undefined) return { days: [], changed: [], fresh, revised, excluded, symbols }

  const lookedUp = (rows: ReadonlyArray<Reported>) =>
    Effect.forkChild(lookUp(rows), { startImmediately: true })
  const known = yield* lookedUp(first)
  const classify = yield* classifier(runs)

  const keepRest = Effect.suspend(() =>
    Effect.all(
      [
        Effect.forEach(Arr.chunksOf(days, atOnce), (some) => keepDays(new Map(some)), { concurrency: 2 }),
        Effect.forEach(Arr.chunksOf(newest, atOnce), (some) => keepLatest(new Map(some)), { concurrency: 2 })
      ],
      { concurrency: 2 }
    )
  )

  /** Keeps a part and all after it. The next one is looked up first: it is classified while the server keeps this one. */
  const keep = (
    rows: ReadonlyArray<Reported>,
    known: Effect.Success<ReturnType<typeof lookedUp>>
  ): typeof keepRest =>
    Effect.gen(function* () {
      const classified = yield* classify(rows, yield* Fiber.join(known))
      for (const row of classified) {
        if (row.incident > 0) excluded++
        noteNewest(newest, row)
        if (row.version === 0) continue
        fresh++
        if (row.before !== undefined) revised++
        symbols.add(row.row.symbol)
        yield* countIn(days, row)
      }
      const next = parts.next().value
      const others = next === undefined ? keepRest : keep(next, yield* lookedUp(next))
      // None of these reads what another writes.
      const readings = keepReadings(classified.filter(({ version }) => version > 0))
      const [, rest] = yield* Effect.all([readings, others], { concurrency: 2 })
      return rest
    })

  const [written, changed] = yield* keep(first, known)
  return { days: written.flat(), changed: changed.flat(), fresh, revised, excluded, symbols }
})

/** The rows in parts for one statement each. */
const partsOf = function* (runs: ReadonlyArray<RunRows>): Generator<ReadonlyArray<Reported>, undefined> {
  let part: Array<Reported> = []
  for (const { from, rows } of runs) {
    for (const { asOf, newSeries, row, series } of rows) {
      part.push({ series, asOf, row, newSeries, from })
      if (part.length < atOnce) continue
      yield part
      part = []
    }
  }
  if (part.length > 0) yield part
  return undefined
}
