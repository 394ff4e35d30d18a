/** `depin_history`: daily snapshots per network and metric. */
import { Schema } from "effect"
import { HistoryColumn } from "./historyColumn.ts"
import { head, natural } from "./payload.ts"

const date = (description: string) => Schema.String.annotate({ format: "date", description })

export const DepinHistory = Schema.Struct({
  ...head,
  from: date("First day of the window"),
  to: date("Last day of the window: today, or the day of `as_known_at`"),
  closed_through: Schema.optionalKey(date("The newest closed day: it and the days before it are published")),
  n_networks: natural("Number of networks"),
  n_series: natural("Number of series"),
  n_points: natural("Total number of values"),
  series: Schema.Array(HistoryColumn).annotate({ description: "By symbol, metric and source" })
}).annotate({ identifier: "DepinHistory", description: "Daily history in columns" })
export interface DepinHistory extends Schema.Schema.Type<typeof DepinHistory> {}
