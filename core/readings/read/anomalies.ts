/** `/v1/anomalies`: closed values that a rule finds unusual, with the rule's numbers. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { bySymbol } from "../../catalog/Catalog.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { storedFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type AnomaliesResponse, Anomaly, type AnomalyRule } from "../../wire/data/anomalies.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { firstJudgedDay, judgedBatch } from "../anomalies/Anomalies.ts"
import { columnsOf } from "../csv.ts"
import { texts } from "../ingest/arrays.ts"
import { dateOf, lastClosedDay } from "./days.ts"
import {
  findingRows,
  isServed,
  keyColumn,
  keyOf,
  type SeriesName,
  selectFindings,
  served
} from "./findings.ts"
import { dayOf, wholeNumber } from "./parameters.ts"
import { onlyReadable } from "./readable.ts"
import { rightsBySource, withRights } from "./rights.ts"
import { type Chosen, choose, cursorPlace, type ListShape, pageOfRows, type Selection } from "./selection.ts"
import { Versions } from "./Versions.ts"

/** Days in one answer. */
const mostDays = 31

/** Findings that another order than that of the days is made of: where all series of an upstream break at once, fewer days have less. */
const maxFindings = 20_000

interface AnomalyParams extends Selection {
  readonly day?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly rule?: AnomalyRule | undefined
}

const dayRows = rowsOf({ day: Schema.String })

/** The newest closed day whose values are judged; undefined before the first. */
export const judgedThrough = Effect.gen(function* () {
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

/** Which days of a window nobody judged; undefined if none, as far as it was noted. */
const unjudgedNote = Effect.fnUntraced(function* ({ from, to }: Window, through: string | undefined) {
  if (through === undefined) return "No day is judged yet, so the list says nothing about any value."
  const first = yield* storedFact(firstJudgedDay)
  const unjudged = [
    ...(first !== undefined && from < first ? [`before ${first}`] : []),
    ...(to > through ? [`after ${through}`] : [])
  ]
  return unjudged.length === 0
    ? undefined
    : `Days ${unjudged.join(" and ")} are not judged, so the list says nothing about their values.`
})

const shape: ListShape<Anomaly> = {
  columns: columnsOf(Anomaly),
  key: keyOf,
  order: "key",
  limit: { max: 500, fallback: 100 },
  past: () => true
}

const names = (all: ReadonlyArray<string> | undefined) => (all === undefined ? null : texts(all))

/** The symbols of a selection; undefined where it leaves none out. */
const symbolsOf = (
  { hasSymbol, symbols }: Chosen,
  { category }: AnomalyParams
): ReadonlyArray<string> | undefined =>
  category === undefined
    ? symbols && [...symbols]
    : [...(symbols ?? bySymbol.keys())].filter((symbol) => hasSymbol(symbol))

interface Window {
  readonly from: string
  readonly to: string
}

/** The condition that a finding is in the list. */
const isListed = (sql: SqlClient.SqlClient, { from, to }: Window, params: AnomalyParams, chosen: Chosen) => {
  const symbols = names(symbolsOf(chosen, params))
  const metrics = names(chosen.metrics && [...chosen.metrics])
  const rule = params.rule ?? null
  return sql`a.day between ${from}::date and ${to}::date and ${isServed(sql)}
    and (${symbols}::text[] is null or s.symbol = any(${symbols}))
    and (${metrics}::text[] is null or s.metric = any(${metrics}))
    and (${rule}::text is null or a.rule = ${rule})`
}

const defaultOrder = "-date"

/** A cursor of the default order that a page of this list gave: a day, and a key that begins with it. */
const isOfDefaultOrder = (place: { readonly value: unknown; readonly key: string }): boolean =>
  /^\d{4}-\d\d-\d\d [!-~]+ [!-~]+ [!-~]+$/.test(place.key) && place.key.startsWith(`${place.value} `)

/** Where a page of the default order begins, in SQL; undefined if it has no such beginning. */
const beginOf = (sql: SqlClient.SqlClient, cursor: string | undefined): Fragment | undefined => {
  if (cursor === undefined) return sql`true`
  const place = Option.filter(cursorPlace(cursor, defaultOrder), isOfDefaultOrder)
  if (Option.isNone(place)) return undefined
  const { key, value } = place.value
  return sql`(a.day < ${value}::date or (a.day = ${value}::date and ${keyColumn(sql)} > ${key}))`
}

/**
 * The findings that a page is made of: in the default order those of the page and the one after it, in another order, or with a cursor
 * that this list did not give, all of the window.
 */
const findingsBetween = Effect.fnUntraced(function* (
  window: Window,
  params: AnomalyParams & { readonly sort: string },
  limit: number
) {
  const sql = yield* SqlClient.SqlClient
  const listed = isListed(sql, window, params, yield* choose(params))
  const begin = params.sort === defaultOrder ? beginOf(sql, params.cursor) : undefined
  if (begin !== undefined)
    return yield* sql`${selectFindings(sql)} where ${listed} and ${begin}
      order by a.day desc, ${keyColumn(sql)} limit ${limit + 1}`.pipe(findingRows)
  const rows = yield* sql`${selectFindings(sql)} where ${listed} limit ${maxFindings + 1}`.pipe(findingRows)
  if (rows.length <= maxFindings) return rows
  const valid = `fewer days: these have more than ${maxFindings} findings`
  return yield* new BadParameter({ field: "from", message: `from must name ${valid}.`, valid })
})

/** The findings of one series since a day, the newest day first; at most 31. */
export const anomaliesOf = Effect.fn("Data.anomaliesOf")(function* (
  of: SeriesName & { readonly from: string }
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`${selectFindings(sql)}
    where s.symbol = ${of.symbol} and s.metric = ${of.metric} and s.source = ${of.source} and a.day >= ${of.from}::date
      and ${isServed(sql)}
    order by a.day desc limit ${mostDays}`.pipe(findingRows)
  return (yield* onlyReadable(rows)).map(served).map(withRights(yield* rightsBySource))
})

/** One page of what was found in some closed days, at most one finding of a series and day. Fails with `BadParameter` and `UnknownSymbol`. */
export const anomalies = Effect.fn("Data.anomalies")(function* (params: AnomalyParams = {}) {
  const through = yield* judgedThrough
  const window = yield* windowOf(params, through ?? (yield* beforeAny))
  const inOrder = { ...params, sort: params.sort ?? defaultOrder }
  const limit = yield* wholeNumber("limit", params.limit, { min: 1, ...shape.limit })
  const findings = (yield* onlyReadable(yield* findingsBetween(window, inOrder, limit))).map(served)
  const rows = findings.map(withRights(yield* rightsBySource))
  const { items, next } = yield* pageOfRows(rows, inOrder, shape)
  const note = yield* unjudgedNote(window, through)
  const response: AnomaliesResponse = {
    generated_utc: isoTime(yield* (yield* Versions).changedAt(dependenciesOf.anomalies)),
    judged_through: through ?? null,
    ...window,
    method_url: "/method#anomalies",
    anomalies: items,
    ...(note === undefined ? {} : { note }),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})
