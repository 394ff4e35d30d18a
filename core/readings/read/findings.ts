/** Stored findings as they are served: the statement that every list of them is made of. */
import { Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { suppressed } from "../../catalog/suppressed.ts"
import { isoTime, Unit } from "../../plugin/Value.ts"
import { manyRowsOf } from "../../sql/rows.ts"
import { type Anomaly, AnomalyRule } from "../../wire/data/anomalies.ts"
import { texts } from "../ingest/arrays.ts"

const StoredFinding = Schema.Struct({
  before: Schema.Struct({ date: Schema.String, value: Schema.Finite }),
  low: Schema.Finite,
  high: Schema.Finite,
  baseline_days: Schema.Natural,
  beside: Schema.optionalKey(Schema.Struct({ n: Schema.Natural, median: Schema.Finite })),
  why: Schema.String
})

/** The number of the newest finding; 0 before the first. */
export const newestFinding = (sql: SqlClient.SqlClient): Fragment =>
  sql`(select coalesce(max(id), 0) from anomaly)`

/** Many: a list in another order than the default one reads the findings of its whole window. */
export const findingColumns = {
  id: Predicate.isNumber,
  symbol: Predicate.isString,
  metric: Predicate.isString,
  date: Predicate.isString,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull),
  unit: Schema.is(Unit),
  source: Predicate.isString,
  as_of: Predicate.isDate,
  verify_url: Predicate.isString,
  version: Predicate.isNumber,
  rule: Schema.is(AnomalyRule),
  score: Predicate.isNumber,
  found: Schema.is(StoredFinding),
  found_at: Predicate.isDate,
  simulated: Predicate.isBoolean
} as const
export const findingRows = manyRowsOf(findingColumns)
type FindingRow = Effect.Success<ReturnType<typeof findingRows>>[number]

export const served = ({ found: finding, found_at, value_text, ...row }: FindingRow): Anomaly => {
  const { baseline_days, before, beside, high, low, why } = finding
  const { as_of, date, metric, rule, score, simulated, source, symbol, unit, value, verify_url, version } =
    row
  return {
    symbol,
    metric,
    date,
    value,
    unit,
    source,
    ...(value_text === null ? {} : { value_text }),
    as_of: isoTime(as_of.getTime()),
    verify_url,
    version,
    rule,
    score,
    low,
    high,
    before_date: before.date,
    before_value: before.value,
    baseline_days,
    ...(beside === undefined ? {} : { compared_with: beside.n, compared_median: beside.median }),
    why,
    found_at: isoTime(found_at.getTime()),
    ...(simulated ? { simulated } : {})
  }
}

const columns = `a.id, s.symbol, s.metric, d.day::text as date, d.value, d.value_text, s.unit, s.source, d.as_of, d.verify_url,
    d.version, a.rule, a.score, a.found, a.found_at, d.simulated`

const tables = `anomaly a join series s on s.id = a.series
    join daily d on d.series = a.series and d.day = a.day and d.incident = 0 and d.version = a.version`

/** Findings with the rows of their days, in the version that was judged; `also` are further columns. */
export const selectFindings = (sql: SqlClient.SqlClient, also?: Fragment): Fragment =>
  also === undefined
    ? sql.literal(`select ${columns} from ${tables}`)
    : sql`${sql.literal(`select ${columns}`)}, ${also} ${sql.literal(`from ${tables}`)}`

/** The text that identifies a finding in a list, and that equal ones are ordered by. */
export const keyOf = ({
  date,
  metric,
  source,
  symbol
}: Pick<Anomaly, "date" | "metric" | "source" | "symbol">) => `${date} ${symbol} ${metric} ${source}`

/** `keyOf` in SQL. */
export const keyColumn = (sql: SqlClient.SqlClient): Fragment =>
  sql.literal(`(a.day::text || ' ' || s.symbol || ' ' || s.metric || ' ' || s.source) collate "C"`)

/** What identifies a series. */
export interface SeriesName {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}

/** Those names as rows. */
const namesAsRows = (sql: SqlClient.SqlClient, all: ReadonlyArray<SeriesName>): Fragment => sql`
  select * from unnest(${texts(all.map(({ symbol }) => symbol))}, ${texts(all.map(({ metric }) => metric))},
    ${texts(all.map(({ source }) => source))})`

/** The condition that the series is not one for which `isSuppressed` holds. */
export const isServed = (sql: SqlClient.SqlClient): Fragment =>
  sql`(s.symbol, s.metric, s.source) not in (${namesAsRows(sql, suppressed)})`

export const isOneOf = (sql: SqlClient.SqlClient, all: ReadonlyArray<SeriesName>): Fragment =>
  sql`(s.symbol, s.metric, s.source) in (${namesAsRows(sql, all)})`

/** Findings that begin with the highest score. */
export const largestFirst = (sql: SqlClient.SqlClient): Fragment => sql`a.score desc, ${keyColumn(sql)}`

/** Findings after an id, in the order in which they were made, with that id. */
export const findingsAfter = Effect.fnUntraced(function* (id: number, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`${selectFindings(sql)} where a.id > ${id} order by a.id limit ${limit}`.pipe(
    findingRows
  )
  return rows.map((row) => ({ id: row.id, anomaly: served(row) }))
})
