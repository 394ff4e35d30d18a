/** Rows of `daily`, and which days are closed. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Predicate, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day } from "../../plugin/time.ts"
import { manyRowsOf, rowsOf } from "../../sql/rows.ts"
import { epoch } from "../ingest/partitions.ts"
import { definedDay } from "./byDefinition.ts"
import { dayHolds, differs } from "./differing.ts"

export const dailyColumns = {
  series: Predicate.isNumber,
  date: Predicate.isString,
  /** 0 for the accepted readings of the day, else the incident that excludes these. */
  incident: Predicate.isNumber,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull),
  n_observations: Predicate.isNumber,
  as_of: Predicate.isDate,
  verify_url: Predicate.isString,
  simulated: Predicate.isBoolean,
  /** Why its 0 is none that was counted; null of every other value. */
  by_definition: Predicate.or(Predicate.isString, Predicate.isNull)
}
export const dailyRows = manyRowsOf(dailyColumns)
export type DailyRow = Effect.Success<ReturnType<typeof daysBetween>>[number]

/** Days of these times in epoch milliseconds, inclusive. */
export interface Window {
  readonly from: number
  readonly to: number
}

/** The last `days` days, today among them, cut by the start of history. */
export const lastDays = (now: number, days: number): Window => {
  const to = Math.floor(now / day) * day
  return { from: Math.max(epoch, to - (days - 1) * day), to }
}

/** `YYYY-MM-DD` of a time in epoch milliseconds. */
export const dateOf = (ms: number): string => {
  const number = Math.floor(ms / day)
  const cached = dates.get(number)
  if (cached !== undefined) return cached
  const text = new Date(ms).toISOString().slice(0, 10)
  if (dates.size === mostDates) dates.clear()
  dates.set(number, text)
  return text
}

/** Answers name the same few days over and over. */
const dates = new Map<number, string>()

/** Ten years of days. */
const mostDates = 3660

/** The greatest time that a timestamp and a Date both hold. */
const always = 8.64e15

/**
 * The newest version of each day that has a reading, of those recorded until `knownAt`: accepted readings first, and by
 * day; what differs from what was sealed or read stands as excluded (`differs`). One statement that scans one primary key range per series, however large the table.
 */
export const daysBetween = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  { from, knownAt = always, to }: Window & { readonly knownAt?: number },
  limit: number
) {
  if (ids.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select series, date, case when holds then incident else ${differs}::int end as incident, value, value_text,
      n_observations, as_of, verify_url, simulated, by_definition
    from (
    select s.id as series, d.day::text as date, d.incident, d.value, d.value_text, d.n_observations, d.as_of,
      d.verify_url, d.simulated, ${sql.literal(definedDay)} as by_definition, ${yield* dayHolds} as holds
    from unnest(${Result.getOrThrow(PgTypes.array(ids, PgTypes.OID.int4))}) as s(id) cross join lateral (
      select distinct on (day, incident) * from daily
      where series = s.id and day between ${dateOf(from)}::date and ${dateOf(to)}::date
        and recorded_at <= ${new Date(knownAt)}
      order by day, incident, version desc
    ) d
    where d.n_observations > 0
    ) d
    order by not holds or incident > 0, series, date
    limit ${limit}`.pipe(dailyRows)
})

const closedRows = rowsOf({ last: Schema.NullOr(Schema.String) })

/** The last day that a batch had closed by `knownAt`, or by now; every later day is open. Undefined before the first close. */
export const lastClosedDay = Effect.fnUntraced(function* (knownAt = always) {
  const sql = yield* SqlClient.SqlClient
  const [closed] = yield* sql`
    select max(day)::text as last from batch where closed_at <= ${new Date(knownAt)}`.pipe(closedRows)
  return closed?.last ?? undefined
})
