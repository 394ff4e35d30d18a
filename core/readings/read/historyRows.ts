/** Daily history as a table: one row per day. */
import { HistoryPoint, type HistorySeries, seenOfPoint } from "../../wire/data/history.ts"
import { rights } from "../../wire/data/rights.ts"
import { described } from "../../wire/data/valueRow.ts"
import type { Row } from "../csv.ts"

/** Columns that came later stand at the end. */
const added = [
  ...Object.keys(seenOfPoint),
  ...Object.keys(rights),
  ...Object.keys(described.definition),
  "reviewed"
]

export const historyColumns: ReadonlyArray<string> = [
  "symbol",
  "metric",
  "tier",
  "source",
  "unit",
  ...Object.keys(HistoryPoint.fields).filter((name) => !added.includes(name)),
  "verify_url",
  "unconfirmed",
  ...added
]

export const historyRowsOf = (
  symbol: string,
  metric: string,
  {
    attribution,
    licence,
    points,
    reviewed,
    source,
    source_method,
    tier,
    unconfirmed,
    unit,
    verify_url
  }: HistorySeries
): ReadonlyArray<Row> =>
  points.map((point) => ({
    symbol,
    metric,
    tier,
    source,
    unit,
    ...point,
    verify_url,
    unconfirmed,
    licence,
    attribution,
    source_method,
    reviewed
  }))
