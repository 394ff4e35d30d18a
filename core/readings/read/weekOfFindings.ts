/** The findings of a week of closed days: those of the brief, and those of each rule. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { day as dayMs } from "../../plugin/time.ts"
import { storedFact } from "../../sql/keyValue.ts"
import { manyRowsOf } from "../../sql/rows.ts"
import { type Anomaly, AnomalyRule } from "../../wire/data/anomalies.ts"
import { judgedBatch } from "../anomalies/Anomalies.ts"
import { judgedThrough } from "./anomalies.ts"
import { dateOf } from "./days.ts"
import {
  findingColumns,
  isOneOf,
  isServed,
  largestFirst,
  type SeriesName,
  selectFindings,
  served
} from "./findings.ts"
import { onlyReadable } from "./readable.ts"

/** Some findings and how many there are. */
export interface Largest {
  /** The highest score first. */
  readonly largest: ReadonlyArray<Anomaly>
  readonly n: number
}

/** Its first and its last day. */
export interface Week {
  readonly from: string
  readonly to: string
}

/** Findings that an edition in full has. */
const maxInEdition = 1000

const newestRows = manyRowsOf({ day: Predicate.isString, judged: Predicate.isBoolean })
/** `n` is the number of findings of which the row is one. */
const countedRows = manyRowsOf({ ...findingColumns, n: Predicate.isNumber })

const isServedBetween = (sql: SqlClient.SqlClient, from: string, to: string): Fragment =>
  sql`a.day between ${from}::date and ${to}::date and ${isServed(sql)}`

const largestOf = (rows: Effect.Success<ReturnType<typeof countedRows>>): Largest => ({
  largest: rows.map(served),
  n: rows[0]?.n ?? 0
})

/**
 * The findings on some series in some closed days; undefined unless the last of them is the newest closed day and judged. A service judges
 * at least the seven days before a close.
 */
export const anomaliesOfWeek = Effect.fn("Data.anomaliesOfWeek")(function* (
  from: string,
  to: string,
  series: ReadonlyArray<SeriesName>
) {
  const sql = yield* SqlClient.SqlClient
  const judged = Number((yield* storedFact(judgedBatch)) ?? 0)
  const [newest] = yield* sql`
    select day::text as day, id <= ${judged}::int as judged from batch where closed_at is not null
    order by batch.day desc limit 1`.pipe(newestRows)
  if (newest === undefined || !newest.judged || newest.day !== to) return undefined
  const rows = yield* sql`${selectFindings(sql, sql`count(*) over ()::int as n`)}
    where ${isServedBetween(sql, from, to)} and ${isOneOf(sql, series)}
    order by ${largestFirst(sql)} limit ${maxInEdition}`.pipe(countedRows)
  return largestOf(rows)
})

/** The findings of the newest judged day and the six before it, by rule: the highest scores of each. Scores of two rules say nothing beside each other. */
export const anomaliesByRule = Effect.fn("Data.anomaliesByRule")(function* (most: number) {
  const day = yield* judgedThrough
  if (day === undefined) return { week: undefined, rules: [] }
  const sql = yield* SqlClient.SqlClient
  const from = dateOf(Date.parse(day) - 6 * dayMs)
  const counted = sql`count(*) over (partition by a.rule)::int as n,
    row_number() over (partition by a.rule order by ${largestFirst(sql)}) as place`
  const rows =
    yield* sql`select * from (${selectFindings(sql, counted)} where ${isServedBetween(sql, from, day)}) f
    where place <= ${most} order by place`.pipe(countedRows)
  const byRule = Map.groupBy(yield* onlyReadable(rows), ({ rule }) => rule)
  return {
    week: { from, to: day },
    rules: AnomalyRule.literals.flatMap((rule) => {
      const of = byRule.get(rule)
      return of === undefined ? [] : [{ rule, ...largestOf(of) }]
    })
  }
})
