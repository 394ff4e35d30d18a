/** Alerts as the database has them. */
import { Schema } from "effect"
import { categoryOf } from "../events/eventDrafts.ts"
import { Category } from "../plugin/kinds.ts"
import { Unit } from "../plugin/Value.ts"
import { rowsOf } from "../sql/rows.ts"
import { type Alert, AlertChannel, AlertCondition, QuietHours } from "../wire/alerts/alert.ts"
import type { AlertSubject } from "./condition.ts"

export const StoredAlert = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  condition: Schema.fromJsonString(AlertCondition),
  symbol: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Category),
  metric: Schema.NullOr(Schema.String),
  source: Schema.NullOr(Schema.String),
  channel: Schema.fromJsonString(AlertChannel),
  quiet: Schema.NullOr(Schema.fromJsonString(QuietHours)),
  min_interval: Schema.Int,
  state: Schema.Literals(["unconfirmed", "active"]),
  next_due_at: Schema.NullOr(Schema.Date),
  since_event: Schema.NullOr(Schema.Finite),
  since_value: Schema.NullOr(Schema.Finite),
  since_anomaly: Schema.NullOr(Schema.Int),
  created_at: Schema.Date,
  confirmed_at: Schema.NullOr(Schema.Date),
  over_limit_since: Schema.NullOr(Schema.Date),
  paused_since: Schema.NullOr(Schema.Date)
})
export interface StoredAlert extends Schema.Schema.Type<typeof StoredAlert> {}

export const alertRows = rowsOf(StoredAlert.fields)

/** The columns of `alertRows`, of a table or an alias `a`. */
export const alertColumns = `a.id, a.account, a.condition, a.symbol, a.category, a.metric, a.source, a.channel, a.quiet,
  a.min_interval, a.state, a.next_due_at, a.since_event::float8 as since_event, a.since_value::float8 as since_value,
  a.since_anomaly, a.created_at, a.confirmed_at, a.over_limit_since, a.paused_since`

/** In SQL, of an alert `a`: whether its condition is looked at. */
export const isWatched = "a.state = 'active' and a.over_limit_since is null and a.paused_since is null"

export const stateOf = (
  alert: Pick<StoredAlert, "state" | "over_limit_since" | "paused_since">
): Alert["state"] => {
  if (alert.paused_since !== null) return "paused"
  return alert.over_limit_since === null ? alert.state : "over_limit"
}

export const subjectOf = (
  alert: Pick<StoredAlert, "symbol" | "category" | "metric" | "source">
): AlertSubject => ({
  ...(alert.symbol === null ? {} : { symbol: alert.symbol }),
  ...(alert.category === null ? {} : { category: alert.category }),
  ...(alert.metric === null ? {} : { metric: alert.metric }),
  ...(alert.source === null ? {} : { source: alert.source })
})

/** Whether an alert is about this metric of this network. Without a source, the metric's alerts of one source count too. */
export const isAbout = (
  alert: Pick<StoredAlert, "symbol" | "category" | "metric" | "source">,
  { metric, source, symbol }: { readonly symbol: string; readonly metric: string; readonly source?: string }
): boolean =>
  (alert.symbol === null || alert.symbol === symbol) &&
  (alert.category === null || alert.category === categoryOf(symbol)) &&
  (alert.metric === null || alert.metric === metric) &&
  (alert.source === null || source === undefined || alert.source === source)

/** A series with a value, as conditions look at it. */
export const SeenValue = Schema.Struct({
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit,
  as_of: Schema.Date,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  verify_url: Schema.String,
  simulated: Schema.Boolean
})
export interface SeenValue extends Schema.Schema.Type<typeof SeenValue> {}
