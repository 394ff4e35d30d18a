/** `depin_history`: daily snapshots per network and metric. */
import { Schema } from "effect"
import { HistoryColumn } from "../../wire/products/historyColumn.ts"
import { head, natural } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

const date = (description: string) => Schema.String.annotate({ format: "date", description })

export const DepinHistory = Schema.Struct({
  ...head,
  from: date("First day of the window"),
  to: date("Last day of the window: the last closed day, or with `days` today, or the day of `as_known_at`"),
  closed_through: Schema.optionalKey(date("The newest closed day: it and the days before it are published")),
  n_networks: natural("Number of networks"),
  n_series: natural("Number of series"),
  n_points: natural("Total number of values"),
  series: Schema.Array(HistoryColumn).annotate({ description: "By symbol, metric and source" })
}).annotate({ identifier: "DepinHistory", description: "Daily history in columns" })
export interface DepinHistory extends Schema.Schema.Type<typeof DepinHistory> {}

export default define({
  key: "depin_history",
  title: "DePIN history",
  schema: DepinHistory,
  sale: {
    content:
      "Daily snapshot history per network and metric: every metric of every network, of the last 30 closed days",
    free: "Free: 30 days of any network at /v1/history, each closed day's file at /v1/archive/.",
    price: "7.99",
    sameAs: "/v1/history",
    inputs: {
      network: "A symbol of /v1/networks; defaults to every network",
      metric: "A metric of /v1/data-dictionary; defaults to every metric",
      days: "Days to look back, today among them, 1 to 3650 (history starts 2026-08-06); defaults to the last 30 closed days. More than 31 days without network and metric have the headline metrics only"
    }
  }
})
