/**
 * Zeros that a definition states and nobody counted. They are served and proved as what they are, 0 with `by_definition`, and
 * count in nothing: whoever sums, ranks, sells, alerts or counts asks here.
 */
import { Array as Arr, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import { ints } from "../ingest/arrays.ts"
import { isServedDay } from "./differing.ts"

/** What is said of a latest value. */
interface Marked {
  readonly unconfirmed: boolean
  readonly by_definition: string | undefined
}

const reasonOf = (row: string, series: string, day: string): string =>
  `case when ${row}.value = 0 then (
      select z.reason from defined_zero z where z.series = ${series} and z.day = ${day}
    ) end`

const dayOf = (row: string): string => `(${row}.as_of at time zone 'UTC')::date`

/** Of a row `d` of `daily`: why its 0 is none that was counted; null of every other value. */
export const definedDay = reasonOf("d", "d.series", "d.day")

/** The same of a reading, a row with `series`, `as_of` and `value`, by its name in the statement. */
export const definedAs = (row: string): string => reasonOf(row, `${row}.series`, dayOf(row))

/** The same of a row `l` of `latest`. */
export const definedLatest = definedAs("l")

/** The same of a row `r` of a series `s`, as `readingThen.ts` has it. */
export const definedReading = reasonOf("r", "s.id", dayOf("r"))

/** Of a row `d` of `daily`: whether it is the value of its day, and counts. */
export const isCountedDay = `${isServedDay} and ${definedDay} is null`

/** Whether a day is accepted, and counts. */
export const dayCounts = (day: {
  readonly incident: number
  readonly by_definition: string | null
}): boolean => day.incident === 0 && day.by_definition === null

/** Whether somebody counted a latest value. */
export const isMeasured = ({ by_definition }: Pick<Marked, "by_definition">): boolean =>
  by_definition === undefined

/** Whether figures are computed from a latest value. */
export const counts = (row: Marked): boolean => !row.unconfirmed && isMeasured(row)

/** Why a latest value is left out of what is computed; undefined of one that counts. */
export const whyLeftOut = (row: Marked): "unconfirmed" | "by_definition" | undefined =>
  row.unconfirmed ? "unconfirmed" : isMeasured(row) ? undefined : "by_definition"

const definedRows = rowsOf({ series: Schema.Int, date: Schema.String, reason: Schema.String })

/** Series of one statement. */
const chunk = 5000

/** The reasons of all defined zeros of some series, by `dayKey`. */
export const definedDaysOf = Effect.fnUntraced(function* (series: Iterable<number>) {
  const sql = yield* SqlClient.SqlClient
  const defined = new Map<string, string>()
  for (const ids of Arr.chunksOf(new Set(series), chunk)) {
    const rows = yield* sql`
      select series, day::text as date, reason from defined_zero where series = any(${ints(ids)})
      order by series, day limit 1000000`.pipe(definedRows)
    for (const row of rows) defined.set(dayKey(row), row.reason)
  }
  return defined
})

/** The name of a day of a series. */
export const dayKey = ({ date, series }: { readonly series: number; readonly date: string }): string =>
  `${series}|${date}`

/** Days that no statement marked, with their marks. */
export const withDefinitions = Effect.fnUntraced(function* <
  Row extends { readonly series: number; readonly date: string; readonly value: number }
>(rows: ReadonlyArray<Row>) {
  const zeros = rows.flatMap(({ series, value }) => (value === 0 ? [series] : []))
  const defined = zeros.length === 0 ? new Map<string, string>() : yield* definedDaysOf(zeros)
  return rows.map((row) => ({
    ...row,
    by_definition: row.value === 0 ? (defined.get(dayKey(row)) ?? null) : null
  }))
})

/** Why the value of a day is a zero that nobody counted; undefined of every other value. */
export const definitionOfDay = Effect.fnUntraced(function* (day: {
  readonly series: number
  readonly date: string
  readonly value: number
}) {
  return day.value === 0 ? (yield* definedDaysOf([day.series])).get(dayKey(day)) : undefined
})
