/** The value row as it is served, and words that several answers share. */
import { Schema } from "effect"
import { Unit } from "../../plugin/Value.ts"

export const described = {
  symbol: Schema.String.annotate({
    description: "Ticker of the network; subnets are `SN0` to `SN128`"
  }),
  metric: Schema.String.annotate({
    description: "Name of the metric; /v1/data-dictionary says what it means"
  }),
  value: Schema.Finite.annotate({
    description: "The value as measured. A measured zero is 0; what was not measured is not served at all"
  }),
  value_text: Schema.optionalKey(
    Schema.String.annotate({
      description: "The exact decimal number as the upstream gave it, where a double may not hold it"
    })
  ),
  unit: Unit.annotate({ description: "Unit of the value" }),
  source: Schema.String.annotate({ description: "Label of the upstream feed" }),
  verify_url: Schema.String.annotate({
    format: "uri",
    description: "Upstream address where anyone can compare the value, without a key"
  }),
  as_of: Schema.String.annotate({
    format: "date-time",
    description: "When the value was true: ISO 8601 in UTC, whole seconds or milliseconds"
  }),
  generated_utc: Schema.String.annotate({
    format: "date-time",
    description: "Time of the data this answer was made from: ISO 8601 in UTC"
  }),
  simulated: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Present where the value was made for the demo and was never measured"
    })
  ),
  access_counts: {
    n_networks_shown: Schema.Natural.annotate({ description: "Networks in this answer" }),
    n_networks: Schema.Natural.annotate({
      description: "Networks (subnets count) with first-party telemetry: what the whole list would hold"
    }),
    n_networks_available: Schema.Natural.annotate({
      description: "Those of `n_networks` with a value younger than 7 days"
    })
  },
  next_cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "Pass as `cursor` for the next page; absent on the last one" })
  ),
  not_covered: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Networks that no first-party feed covers: symbol to reason, also that nobody has looked yet"
  })
} as const

/** One observation of one metric of one network. */
export const ValueRow = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated
}).annotate({ identifier: "ValueRow", description: "One observation of one metric of one network" })
export interface ValueRow extends Schema.Schema.Type<typeof ValueRow> {}
