/**
 * What readers reported as wrong, and what came of it. The operator enters what reached him, so that the list of corrections holds
 * also what was looked into and not changed.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { rowsOf } from "../sql/rows.ts"
import { Report } from "../wire/log/corrections.ts"

/** A report, or its outcome, that cannot be entered. The message says why. */
export class ReportRefused extends Schema.TaggedError<ReportRefused>()("ReportRefused", {
  message: Schema.String
}) {}

const { outcome: Outcome } = Report.fields

const reportRows = rowsOf({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  day: Schema.NullOr(Schema.String),
  what: Schema.String,
  received_at: Schema.Date,
  outcome: Outcome,
  note: Schema.NullOr(Schema.String),
  settled_at: Schema.NullOr(Schema.Date)
})

export interface NewReport {
  readonly symbol: string
  readonly metric: string
  /** `YYYY-MM-DD`; absent where it is about no single day. */
  readonly day?: string
  /** In words that name nobody: it is published. */
  readonly what: string
}

const idRows = rowsOf({ id: Schema.Int })

/** Enters a report as open; returns its number. Fails with `ReportRefused` if no series has the symbol and the metric. */
export const addReport = Effect.fn("Reports.addReport")(function* (report: NewReport) {
  const sql = yield* SqlClient.SqlClient
  const { day, metric, symbol, what } = report
  const [series] = yield* sql`
    select id from series where symbol = ${symbol} and metric = ${metric} limit 1`.pipe(idRows)
  if (series === undefined)
    return yield* new ReportRefused({ message: `no series of ${symbol} is called ${metric}` })
  const [row] = yield* sql`
    insert into report (symbol, metric, day, what, received_at)
    values (${symbol}, ${metric}, ${day ?? null}::date, ${what}, ${new Date(yield* DataClock.now)}) returning id`.pipe(
    idRows
  )
  return row === undefined ? yield* Effect.die(new Error("a report was not stored")) : row.id
})

/** Settles an open report. Fails with `ReportRefused` if there is none with this number. */
export const settleReport = Effect.fn("Reports.settleReport")(function* (
  id: number,
  outcome: "corrected" | "right_as_published" | "upstream_wrong",
  note: string
) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    update report set outcome = ${outcome}, note = ${note}, settled_at = ${new Date(yield* DataClock.now)}
    where id = ${id} and outcome = 'open' returning id`.pipe(idRows)
  if (row === undefined)
    return yield* new ReportRefused({ message: `no open report has the number ${id}: see report list` })
})

/** Reports, newest first. */
export const reports = Effect.fn("Reports.reports")(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select id, symbol, metric, day::text, what, received_at, outcome, note, settled_at from report
    order by id desc limit ${limit}`.pipe(reportRows)
  return rows.map(
    ({ day, note, received_at, settled_at, ...report }): Report => ({
      ...report,
      ...(day === null ? {} : { date: day }),
      received_utc: received_at.toISOString(),
      ...(note === null ? {} : { note }),
      ...(settled_at === null ? {} : { settled_utc: settled_at.toISOString() })
    })
  )
})
