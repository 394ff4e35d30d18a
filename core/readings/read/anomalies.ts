/** `/v1/anomalies`: closed values that a rule finds unusual, with the rule's numbers. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { compare, isoTime, Unit } from "../../plugin/Value.ts"
import { storedFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type AnomaliesResponse, Anomaly, AnomalyRule } from "../../wire/data/anomalies.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { judgedBatch } from "../anomalies/Anomalies.ts"
import { columnsOf } from "../csv.ts"
import { texts } from "../ingest/arrays.ts"
import { dateOf, lastClosedDay } from "./days.ts"
import { dayOf } from "./parameters.ts"
import { type Chosen, choose, chosenOf, type ListShape, pageOfRows, type Selection } from "./selection.ts"
import { Versions } from "./Versions.ts"

/** Days in one answer. */
const mostDays = 31

/** Findings of one window: where all series of an upstream break at once, a shorter window has them. */
const mostFound = 20_000

interface AnomalyParams extends Selection {
  readonly day?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly rule?: AnomalyRule | undefined
}

const StoredFinding = Schema.Struct({
  before: Schema.Struct({ date: Schema.String, value: Schema.Finite }),
  low: Schema.Finite,
  high: Schema.Finite,
  baseline_days: Schema.Natural,
  beside: Schema.optionalKey(Schema.Struct({ n: Schema.Natural, median: Schema.Finite })),
  why: Schema.String
})

const findingRows = rowsOf({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  date: Schema.String,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  unit: Unit,
  source: Schema.String,
  as_of: Schema.Date,
  verify_url: Schema.String,
  version: Schema.Natural,
  rule: AnomalyRule,
  score: Schema.Finite,
  found: StoredFinding,
  found_at: Schema.Date,
  simulated: Schema.Boolean
})
type FindingRow = Effect.Success<ReturnType<typeof findingRows>>[number]

const served = ({ found: finding, found_at, id, value_text, ...row }: FindingRow): Anomaly => {
  const { baseline_days, before, beside, high, low, why } = finding
  const { as_of, simulated, rule, score, version, verify_url, ...value } = row
  return {
    ...value,
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

/** Everything of a finding but its id; the rows of its day, in the version that was judged. */
const select = (sql: SqlClient.SqlClient) =>
  sql.literal(`
  select a.id, s.symbol, s.metric, d.day::text as date, d.value, d.value_text, s.unit, s.source, d.as_of, d.verify_url,
    d.version, a.rule, a.score, a.found, a.found_at, d.simulated
  from anomaly a join series s on s.id = a.series
    join daily d on d.series = a.series and d.day = a.day and d.incident = 0 and d.version = a.version`)

const names = (set: ReadonlySet<string> | undefined) => (set === undefined ? null : texts([...set]))

const foundBetween = Effect.fnUntraced(function* (from: string, to: string, { metrics, symbols }: Chosen) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`${select(sql)}
    where a.day between ${from}::date and ${to}::date
      and (${names(symbols)}::text[] is null or s.symbol = any(${names(symbols)}))
      and (${names(metrics)}::text[] is null or s.metric = any(${names(metrics)}))
    limit ${mostFound + 1}`.pipe(findingRows)
})

const newestRows = rowsOf({ day: Schema.String, judged: Schema.Boolean })

/**
 * The findings of some closed days, the largest score first; undefined unless the last of them is the newest closed day and judged. A
 * service judges at least the seven days before a close.
 */
export const anomaliesOfWeek = Effect.fn("Data.anomaliesOfWeek")(function* (from: string, to: string) {
  const sql = yield* SqlClient.SqlClient
  const judged = Number((yield* storedFact(judgedBatch)) ?? 0)
  const [newest] = yield* sql`
    select day::text as day, id <= ${judged}::int as judged from batch where closed_at is not null
    order by batch.day desc limit 1`.pipe(newestRows)
  if (newest === undefined || !newest.judged || newest.day !== to) return undefined
  const all = chosenOf(undefined, undefined, undefined)
  const rows = (yield* foundBetween(from, to, all)).filter((row) => !isSuppressed(row)).map(served)
  return rows.toSorted((a, b) => b.score - a.score || compare(shape.key(a), shape.key(b)))
})

/** The findings of one series since a day, the newest day first; at most 31. */
export const anomaliesOf = Effect.fn("Data.anomaliesOf")(function* (of: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly from: string
}) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`${select(sql)}
    where s.symbol = ${of.symbol} and s.metric = ${of.metric} and s.source = ${of.source} and a.day >= ${of.from}::date
    order by a.day desc limit ${mostDays}`.pipe(findingRows)
  return rows.filter((row) => !isSuppressed(row)).map(served)
})

/** Findings after an id, in the order in which they were made, with that id. */
export const foundAfter = Effect.fnUntraced(function* (id: number, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`${select(sql)} where a.id > ${id} order by a.id limit ${limit}`.pipe(findingRows)
  return rows.map((row) => ({ id: row.id, anomaly: served(row) }))
})

const dayRows = rowsOf({ day: Schema.String })

/** The newest closed day whose values are judged; undefined before the first. */
const judgedThrough = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const batch = yield* storedFact(judgedBatch)
  if (batch === undefined) return undefined
  const [row] = yield* sql`select day::text as day from batch where id = ${Number(batch)}`.pipe(dayRows)
  return row?.day
})

/** The day that an answer is of before any is judged: the newest closed one, or yesterday. */
const beforeAny = Effect.gen(function* () {
  return (yield* lastClosedDay()) ?? dateOf((yield* DataClock.now) - dayMs)
})

/** The first and the last day: those that are named, else the newest judged one. Fails with `BadParameter`. */
const windowOf = Effect.fnUntraced(function* (
  { day, from, to }: Pick<AnomalyParams, "day" | "from" | "to">,
  newest: string
) {
  if (day !== undefined && (from !== undefined || to !== undefined)) {
    const valid = "a day, or from and to"
    return yield* new BadParameter({ field: "day", message: `Send ${valid}, not both.`, valid })
  }
  const last = day ?? to
  const end = last === undefined ? newest : yield* dayOf(day === undefined ? "to" : "day", last)
  const start = day !== undefined || from === undefined ? end : yield* dayOf("from", from)
  const days = (Date.parse(end) - Date.parse(start)) / dayMs + 1
  if (days < 1 || days > mostDays) {
    const valid = `a day that is at most ${mostDays - 1} days before to, and not after it`
    return yield* new BadParameter({ field: "from", message: `from must be ${valid}.`, valid })
  }
  return { from: start, to: end }
})

const shape: ListShape<Anomaly> = {
  columns: columnsOf(Anomaly),
  key: ({ date, metric, source, symbol }) => `${date} ${symbol} ${metric} ${source}`,
  order: "key",
  limit: { max: 500, fallback: 100 },
  past: () => true
}

/** One page of what was found in some closed days, at most one finding of a series and day. Fails with `BadParameter` and `UnknownSymbol`. */
export const anomalies = Effect.fn("Data.anomalies")(function* (params: AnomalyParams = {}) {
  const through = yield* judgedThrough
  const window = yield* windowOf(params, through ?? (yield* beforeAny))
  const chosen = yield* choose(params)
  const stored = yield* foundBetween(window.from, window.to, chosen)
  if (stored.length > mostFound) {
    const valid = `fewer days: these have more than ${mostFound} findings`
    return yield* new BadParameter({ field: "from", message: `from must name ${valid}.`, valid })
  }
  const rows = stored
    .filter((row) => !isSuppressed(row) && chosen.hasSymbol(row.symbol))
    .filter(({ rule }) => params.rule === undefined || rule === params.rule)
    .map(served)
  const { items, next } = yield* pageOfRows(rows, { ...params, sort: params.sort ?? "-date" }, shape)
  const response: AnomaliesResponse = {
    generated_utc: isoTime(yield* (yield* Versions).changedAt(dependenciesOf.anomalies)),
    judged_through: through ?? null,
    ...window,
    method_url: "/method#anomalies",
    anomalies: items,
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})
