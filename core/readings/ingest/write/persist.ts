/** Writes the rows of runs: readings, exclusions, revisions, days and each series' latest row. */
import { Array as Arr, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../../clock/DataClock.ts"
import { Current } from "../../read/Current.ts"
import { rowsAtOnce } from "../arrays.ts"
import { isUnconfirmed, partsOf, type RunRows } from "../candidate.ts"
import { type Classified, classifier } from "../compare/classify.ts"
import { confirmAgreeing, FeedEvidence } from "../compare/confirmation.ts"
import { isDefinable, keepDefined } from "../compare/defined.ts"
import { lookUp } from "../compare/newestVersions.ts"
import { markYoung, noteDoubts } from "../compare/standingsOfSeries.ts"
import { countIn, type Day, isCounted, keepDays } from "./days.ts"
import { recompute } from "./exclusions.ts"
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
  /** Runs that gave readings which were new; one that was killed in between had stored some before. */
  const news = new Set<string>()
  /** Accepted rows that nothing has confirmed, or whose level is in doubt, of feeds that declare a second source. */
  const comparable: Array<Classified> = []
  /** Zeros of sources that follow a definition. */
  const zeros: Array<Classified> = []
  /** Series of which a reading is held or was released: what is said beside their values has changed. */
  const marked = new Set<number>()
  let fresh = 0
  let revised = 0
  let excluded = 0

  // A failed run has no rows.
  if (runs.every(({ rows }) => rows.length === 0)) {
    return { days: [], changed: [], fresh, revised, excluded, released: 0, moved: [], symbolOf, news }
  }
  const { classify, doubtful, moved, released, tell, unserved } = yield* classifier(runs)
  for (const candidates of partsOf(runs, rowsAtOnce)) {
    const classified = yield* classify(candidates, yield* lookUp(candidates))
    for (const row of classified) {
      if (row.incident > 0) excluded++
      else if (
        row.from.manifest.agreesWith !== undefined &&
        (row.inDoubt || isUnconfirmed(row.from, row.series))
      )
        comparable.push(row)
      if (row.reason !== undefined) marked.add(row.series)
      noteNewest(newest, row)
      if (isDefinable(row)) zeros.push(row)
      if (row.version > 0 || row.before?.run === row.from.run) news.add(row.from.run)
      if (row.version === 0) continue
      fresh++
      if (row.before !== undefined) revised++
      symbolOf.set(row.series, row.row.symbol)
      countIn(days, row, row.before !== undefined && (yield* isCounted(row, row.before)))
    }
    yield* keepReadings(classified.filter(({ version }) => version > 0))
  }
  const { again: defining, defined } = yield* keepDefined(zeros)
  const changed = yield* inParts(newest, (some) => keepLatest(some, defined))
  const written = yield* inParts(days, (some) => keepDays(some, defined))
  const again = yield* release(released)
  yield* noteDoubts(doubtful)
  yield* keepYoung(runs, unserved)
  yield* tell
  for (const { series } of released.values()) marked.add(series)
  for (const { series } of doubtful) marked.add(series)
  for (const series of yield* confirmAgreeing(comparable)) marked.add(series)
  const read = marked.size === 0 ? [] : (yield* (yield* Current).read([...marked])).rows
  return {
    days: [...written, ...(yield* defining), ...again],
    changed: [...changed.filter(({ series }) => !marked.has(series)), ...read],
    fresh,
    revised,
    excluded,
    released: released.size,
    moved,
    symbolOf,
    news
  }
})

/** Marks the series that begin with these runs; none where all feeds count as confirmed. */
const keepYoung = Effect.fnUntraced(function* (runs: ReadonlyArray<RunRows>, unserved: ReadonlySet<number>) {
  if (unserved.size === 0) return
  if ((yield* FeedEvidence) === undefined) return
  for (const { from, rows } of runs)
    yield* markYoung(
      from.run,
      rows.flatMap(({ series }) => (unserved.has(series) ? [series] : []))
    )
})

/** Closes incidents whose readings are confirmed, with the note that says by what. Returns the recent days that this changed. */
const release = Effect.fnUntraced(function* (released: ReadonlyMap<number, { readonly note: string }>) {
  if (released.size === 0) return []
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DataClock.now)
  return Arr.flatten(
    yield* Effect.forEach(released, ([id, { note }]) =>
      sql`update incident set closed_at = ${now}, closing_note = ${note} where id = ${id} and closed_at is null`.pipe(
        Effect.andThen(recompute(id, now))
      )
    )
  )
})

/** Writes what the map holds, in parts of so many as a statement takes. */
const inParts = <K, V, A, E, R>(
  entries: ReadonlyMap<K, V>,
  write: (some: ReadonlyMap<K, V>) => Effect.Effect<ReadonlyArray<A>, E, R>
) =>
  Effect.map(
    Effect.forEach(Arr.chunksOf(entries, rowsAtOnce), (some) => write(new Map(some))),
    Arr.flatten
  )
