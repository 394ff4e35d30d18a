/** Why a day has no proof of a value: an answer of its own for each case, so that a caller knows what to do. */

import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { type AbsentSeries, cutOffOf, parseAbsenceList } from "../../proof/leaf.ts"
import { earlierLogOf } from "../../readings/earlierLog.ts"
import { declaredMetric, declaredSource } from "../../readings/read/parameters.ts"
import { rowsOf } from "../../sql/rows.ts"
import { NotAttested } from "../../wire/problems/request.ts"
import type { ServedHead } from "../heads.ts"
import { attestPath } from "./attestPath.ts"

/** A value by name, with its symbol resolved and its day as `YYYY-MM-DD`. */
export interface ValueName {
  readonly symbol: string
  readonly metric: string
  readonly source?: string | undefined
  readonly day: string
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const closedRows = rowsOf({
  first: Schema.NullOr(Schema.String),
  last: Schema.NullOr(Schema.String),
  /** The newest day whose batch the head does not have yet. */
  waiting: Schema.NullOr(Schema.String),
  absent: Schema.NullOr(Schema.String),
  log_index: Schema.NullOr(Schema.Int),
  entry: Schema.NullOr(Schema.String)
})
const seriesRows = rowsOf({
  source: Schema.String,
  measured: Schema.Boolean,
  published: Schema.Boolean,
  /** The open incident under which all of the day's readings are. */
  held: Schema.NullOr(Schema.Int)
})

/** The series on a batch's list of absences; of several sources, the first by name. */
export const absentIn = (
  list: string,
  { metric, source, symbol }: Omit<ValueName, "day">
): AbsentSeries | undefined =>
  parseAbsenceList(list).find(
    (one) => one.symbol === symbol && one.metric === metric && (source === undefined || one.source === source)
  )

/**
 * Fails with why the head has no published value of this series on that day, or no absence. Fails with `BadParameter` if no feed knows
 * the metric or the source.
 */
export const notAttested = Effect.fn("Log.notAttested")(function* (
  valueName: ValueName,
  { size }: Pick<ServedHead, "size" | "state">
) {
  const { day, metric, source, symbol } = valueName
  const sql = yield* SqlClient.SqlClient
  const [closed] = yield* sql`
    select days.*, b.absent, b.log_index, e.text as entry
    from (
        select min(day) filter (where log_index < ${size})::text as first,
          max(day) filter (where log_index < ${size})::text as last,
          max(day) filter (where log_index >= ${size})::text as waiting
        from batch
      ) days
      left join batch b on b.day = ${day}::date and b.log_index < ${size}
      left join log_entry e on e.place = b.log_index`.pipe(closedRows)
  const series = yield* sql`
    select s.source, exists (
        select 1 from daily d where d.series = s.id and d.day = ${day}::date and d.n_observations > 0
      ) as measured, (
        select min(d.incident) from daily d join incident i on i.id = d.incident
        where d.series = s.id and d.day = ${day}::date and d.n_observations > 0
          and i.closed_at is null and i.guard is not null
          and not exists (
            select 1 from daily a where a.series = s.id and a.day = d.day and a.incident = 0 and a.n_observations > 0
          )
      ) as held, exists (
        select 1 from leaf l join batch b on b.id = l.batch and b.log_index < ${size}
        where l.series = s.id and l.day = ${day}::date
      ) as published
    from series s where s.symbol = ${symbol} and s.metric = ${metric} order by s.source limit 1000`.pipe(
    seriesRows
  )
  const sources = series.map((one) => one.source)
  if (sources.length === 0) yield* declaredMetric("metric", metric, [])
  if (source !== undefined) yield* declaredSource("source", source, series)
  const candidates = series.filter((one) => source === undefined || one.source === source)
  const name = `${metric} of ${symbol}${source === undefined ? "" : ` from ${source}`}`

  const missing =
    closed?.absent == null || closed.entry === null || closed.log_index === null
      ? undefined
      : absentIn(closed.absent, valueName)
  const absence =
    missing === undefined
      ? {}
      : {
          absence: {
            source: missing.source,
            log_index: closed?.log_index ?? 0,
            entry: closed?.entry ?? "",
            proof_url: attestPath({ ...missing, day }, "absence")
          }
        }

  if (candidates.some((one) => one.published)) {
    return yield* new NotAttested({
      reason: "measured",
      message: `${name} was measured on ${day}, so no absence is recorded. Ask without format=absence for the value.`
    })
  }
  const incident = candidates.find((one) => one.held !== null)?.held
  if (typeof incident === "number") {
    return yield* new NotAttested({
      reason: "held",
      message: `${name} was read on ${day} and waits for a review, because it broke a guard: incident ${incident} of /v1/incidents says which.`
    })
  }
  const measured = candidates.some((one) => one.measured)
  const earlier = yield* earlierLogOf(day)
  if (earlier !== undefined && candidates.length > 0) {
    return yield* new NotAttested({
      reason: "earlier_log",
      message: `${name} ${measured ? "has a value" : "has no value"} for ${day}, a day of the earlier log ${earlier.origin}, which ended on ${earlier.last}: this log begins with the day after, and its first entry commits to the last head of that one. A proof that was saved before still holds under that head.`
    })
  }
  const last = closed?.last ?? null
  const open = last === null || day > last
  if (measured || (open && candidates.length > 0)) {
    // What arrived after its own day was closed is published with the next day that closes.
    const publishing = open || last === null ? day : dateOf(Date.parse(last) + dayMs)
    const due = cutOffOf(publishing)
    if (closed?.waiting != null && publishing <= closed.waiting) {
      return yield* new NotAttested({
        reason: "not_cosigned",
        message: `${name} has ${measured ? "a value" : "no value yet"} for ${day}, and the batch of ${publishing} is closed and signed, but witnesses have not cosigned it yet, and this service proves nothing without them. Ask again in a few minutes.`
      })
    }
    const overdue = due <= (yield* DataClock.now)
    return yield* new NotAttested({
      reason: "not_closed",
      message:
        `${name} has ${measured ? "a value" : "no value yet"} for ${day}` +
        (open ? ", and the day is not closed yet" : ", but it arrived after the day was closed") +
        `: the batch that publishes it ${overdue ? "was" : "is"} due at ${isoTime(due)}.` +
        (overdue ? " The close is late." : ""),
      closes_at: isoTime(due),
      ...absence
    })
  }
  if (missing !== undefined) {
    return yield* new NotAttested({
      reason: "absent",
      message: `${name} had no reading on ${day}: the batch of that day (log entry ${closed?.log_index}) records its absence. Request format=absence to prove it.`,
      ...absence
    })
  }
  if (candidates.length === 0) {
    return yield* new NotAttested({
      reason: "unknown_series",
      message:
        `No reading of ${name} was ever published.` +
        (sources.length === 0
          ? ` /v1/network/${symbol} lists what is measured.`
          : ` Other sources report it: ${sources.join(", ")}.`),
      ...(sources.length === 0 ? {} : { sources })
    })
  }
  return yield* new NotAttested({
    reason: "not_measured",
    message:
      closed?.first != null && day < closed.first
        ? `${name} was not measured on ${day}: the first published day is ${closed.first}.`
        : `${name} was not measured on ${day}. The series was not expected that day, so the batch records no absence either.`
  })
})
