/** `/v1/supply`, in its two forms. */
import { Schema } from "effect"
import { AccessNote } from "./access.ts"
import { Freshness } from "./freshness.ts"
import { described, ValueRow } from "./valueRow.ts"

export const SupplyListResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  supply: Schema.Array(ValueRow).annotate({
    description: "First-party telemetry of the networks shown, by symbol, metric and source"
  }),
  ...described.access_counts,
  access: AccessNote,
  next_cursor: described.next_cursor
}).annotate({
  identifier: "SupplyListResponse",
  description: "Telemetry of many networks; without a key a sample"
})
export interface SupplyListResponse extends Schema.Schema.Type<typeof SupplyListResponse> {}

export const SupplyMember = Schema.Struct({
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  source: described.source,
  as_of: described.as_of,
  age_hours: Schema.Finite.annotate({ description: "Age of the value at the time of this answer, in hours" }),
  freshness: Freshness.annotate({
    description:
      "`live`: younger than 2 hours; `recent`: than 26 hours; `stale`: than 7 days; `static`: 7 days or older"
  }),
  verify_yourself: Schema.String.annotate({
    format: "uri",
    description: "Exact upstream address that the collector read"
  }),
  simulated: described.simulated
}).annotate({ identifier: "SupplyMember", description: "The latest value of one metric, with its age" })
export interface SupplyMember extends Schema.Schema.Type<typeof SupplyMember> {}

export const SupplyNetworkResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  network: described.symbol,
  supply: Schema.Record(Schema.String, SupplyMember).annotate({
    description: "Metric name to its latest value; a metric that is not measured is absent"
  }),
  ...described.access_counts,
  access: AccessNote
}).annotate({ identifier: "SupplyNetworkResponse", description: "Telemetry of one network, keyed by metric" })
export interface SupplyNetworkResponse extends Schema.Schema.Type<typeof SupplyNetworkResponse> {}

/** The list, or with `network` the keyed form. */
export const SupplyResponse = Schema.Union([SupplyNetworkResponse, SupplyListResponse]).annotate({
  description: "A list of value rows; with `network` an object keyed by metric"
})
export type SupplyResponse = typeof SupplyResponse.Type
