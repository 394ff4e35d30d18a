/**
 * By how many other operators values were seen. The last days that were compared are in memory, read again when the log has
 * grown: a comparison never changes.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { DayAgreement } from "../../wire/data/agreement.ts"
import { ints } from "../ingest/arrays.ts"
import { dateOf, type Window } from "./days.ts"
import { recentDays } from "./RecentDays.ts"
import { Versions } from "./Versions.ts"

/** Closed days after which a comparison says nothing of the present any more. */
const mostBehind = 3

/** What was compared of a day, without its values. */
export interface ComparedDay {
  readonly day: string
  /** Observers that were named, whether or not they were read. */
  readonly n_observers: number
  /** Values that were compared, or that no observer has. */
  readonly tree_size: number
  readonly n_compared: number
  readonly n_differs: number
}

export type Counts = Pick<DayAgreement, "n_agree" | "n_observers">

/** The comparisons of a day: flat arrays in the order of the series. */
class DayOfSeries {
  readonly #series: Int32Array
  readonly #values: Float64Array
  readonly #observers: Uint8Array
  readonly #agreeing: Uint8Array

  /** `rows` are in the order of their series. */
  constructor(rows: ReadonlyArray<ValueRow>) {
    this.#series = Int32Array.from(rows, ({ series }) => series)
    this.#values = Float64Array.from(rows, ({ value }) => value)
    this.#observers = Uint8Array.from(rows, ({ n_observers }) => n_observers)
    this.#agreeing = Uint8Array.from(rows, ({ n_agree }) => n_agree)
  }

  /** Undefined where the series was not compared; with a value, also where another one was. */
  of(series: number, value?: number): Counts | undefined {
    let [low, high] = [0, this.#series.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#series[middle] ?? 0) < series) low = middle + 1
      else high = middle
    }
    if (this.#series[low] !== series || (value !== undefined && this.#values[low] !== value)) return undefined
    return { n_observers: this.#observers[low] ?? 0, n_agree: this.#agreeing[low] ?? 0 }
  }
}

const comparedRows = rowsOf({
  day: Schema.String,
  n_observers: Schema.Int,
  tree_size: Schema.Int,
  n_compared: Schema.Int,
  n_differs: Schema.Int
})
const valueFields = {
  series: Schema.Int,
  value: Schema.Finite,
  n_observers: Schema.Int,
  n_agree: Schema.Int
}
const valueRows = rowsOf(valueFields)
const olderRows = rowsOf({ ...valueFields, day: Schema.String })
type ValueRow = Effect.Success<ReturnType<typeof valueRows>>[number]

/** What was read of a database: its compared days at a version of its log, newest first, and those whose values were asked for. */
interface Memory {
  readonly version: number
  readonly compared: ReadonlyArray<ComparedDay>
  readonly values: Map<string, DayOfSeries>
}
const nothing: Memory = { version: -1, compared: [], values: new Map() }
const memories = new WeakMap<SqlClient.SqlClient, Memory>()

/** The compared days of the last 31. */
const remembered = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  const version = (yield* Versions).cell("log").version(now)
  const before = memories.get(sql) ?? nothing
  if (before.version === version) return before
  const oldest = dateOf(now - recentDays * dayMs)
  const compared = yield* sql`
    select day::text as day, n_observers, tree_size, n_compared, n_differs from agreement_day
    where day >= ${oldest}::date order by day desc limit ${recentDays + 1}`.pipe(comparedRows)
  const values = new Map([...before.values].filter(([day]) => day >= oldest))
  const memory: Memory = { version, compared, values }
  memories.set(sql, memory)
  return memory
})

/** The same, or what was known, if the database is away. */
const lastRead = Effect.catchTag(remembered, "SqlError", () =>
  Effect.map(SqlClient.SqlClient, (sql) => memories.get(sql) ?? nothing)
)

const valuesOf = Effect.fnUntraced(function* (memory: Memory, day: string) {
  const before = memory.values.get(day)
  if (before !== undefined) return before
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select series, value, n_observers::int, n_agree::int from agreement_value where day = ${day}::date
    order by series`.pipe(valueRows)
  const values = new DayOfSeries(rows)
  memory.values.set(day, values)
  return values
})

/** The newest day that was compared, if that was lately; undefined where nobody observes the service. */
export const comparedLately = Effect.gen(function* () {
  const [newest] = (yield* lastRead).compared
  const oldest = dateOf((yield* DataClock.now) - (mostBehind + 1) * dayMs)
  return newest === undefined || newest.day < oldest ? undefined : newest
})

const unseen = { of: (_series: number): Counts | undefined => undefined }

/** By how many operators the published value of a series was seen on the newest compared day. No answer fails for lack of it. */
export const agreementLately = Effect.gen(function* () {
  const compared = yield* comparedLately
  const values =
    compared === undefined
      ? unseen
      : yield* Effect.catchTag(valuesOf(yield* lastRead, compared.day), "SqlError", () =>
          Effect.succeed(unseen)
        )
  return (series: number): { readonly agreement?: DayAgreement } => {
    const counts = values.of(series)
    return compared === undefined || counts === undefined
      ? {}
      : { agreement: { day: compared.day, ...counts } }
  }
})

/** By how many operators the values of days were seen: of a series, a day and the value that was compared. */
export type CountsOn = (series: number, date: string, value: number) => Counts | undefined

const nobody: CountsOn = () => undefined

/** Of some series in a window. What lies before the days in memory is read. */
export const countsBetween = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  { from, to }: Window,
  limit: number
) {
  const memory = yield* remembered
  const days = new Map<string, DayOfSeries>()
  for (const { day } of memory.compared) {
    if (day >= dateOf(from) && day <= dateOf(to)) days.set(day, yield* valuesOf(memory, day))
  }
  const firstRemembered = dateOf((yield* DataClock.now) - recentDays * dayMs)
  const older = dateOf(from) < firstRemembered ? yield* readOlder(ids, { from, to }, limit) : undefined
  if (days.size === 0 && older === undefined) return nobody
  const countsOn: CountsOn = (series, date, value) =>
    days.get(date)?.of(series, value) ?? older?.(series, date, value)
  return countsOn
})

const readOlder = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  { from, to }: Window,
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select series, day::text as day, value, n_observers::int, n_agree::int from agreement_value
    where series = any(${ints(ids)}) and day between ${dateOf(from)}::date and ${dateOf(to)}::date
    limit ${limit}`.pipe(olderRows)
  const byPlace = new Map(rows.map((row) => [`${row.series} ${row.day}`, row]))
  const countsOn: CountsOn = (series, date, value) => {
    const row = byPlace.get(`${series} ${date}`)
    return row === undefined || row.value !== value
      ? undefined
      : { n_observers: row.n_observers, n_agree: row.n_agree }
  }
  return countsOn
})
