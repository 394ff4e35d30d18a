/** Daily history as a table: one row per day. */
import { HistoryPoint, type HistorySeries } from "../../wire/data/history.ts"
import type { Row } from "../csv.ts"

export const historyColumns: ReadonlyArray<string> = [
  "symbol",
  "metric",
  "tier",
  "source",
  "unit",
  ...Object.keys(HistoryPoint.fields),
  "verify_url",
  "unconfirmed"
]

export const historyRowsOf = (
  symbol: string,
  metric: string,
  { points, source, tier, unconfirmed, unit, verify_url }: HistorySeries
): ReadonlyArray<Row> =>
  points.map((point) => ({ symbol, metric, tier, source, unit, ...point, verify_url, unconfirmed }))
