/** `/v1/supply`, in its two forms. */
import { Schema } from "effect"
import { AccessNote } from "./access.ts"
import { Freshness } from "./freshness.ts"
import { rights } from "./rights.ts"
import { described, ValueRow } from "./valueRow.ts"

export const SupplyListResponse = Schema.Struct({
  sorted_within: described.sorted_within,
  generated_utc: described.generated_utc,
  supply: Schema.Array(ValueRow).annotate({
    description: "First-party telemetry of the shown networks, by symbol, metric and source"
  }),
  ...described.access_counts,
  access: AccessNote,
  not_shown: described.not_shown,
  next_cursor: described.next_cursor
}).annotate({
  identifier: "SupplyListResponse",
  description: "Telemetry of many networks; a sample without a key"
})
export interface SupplyListResponse extends Schema.Schema.Type<typeof SupplyListResponse> {}

export const SupplyMember = Schema.Struct({
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  source: described.source,
  as_of: described.as_of,
  age_hours: Schema.Finite.annotate({ description: "Age of the value when this answer was made, in hours" }),
  freshness: Freshness.annotate({
    description:
      "`live`: under 2 hours old; `recent`: under 26 hours; `stale`: under 7 days; `static`: 7 days or older"
  }),
  verify_url: described.verify_url,
  verify_yourself: Schema.String.annotate({
    format: "uri",
    description: "Exact upstream URL the collector read"
  }),
  ...described.marks,
  ...rights,
  ...described.beside,
  rung: described.rung
}).annotate({ identifier: "SupplyMember", description: "The latest value of one metric, with its age" })
export interface SupplyMember extends Schema.Schema.Type<typeof SupplyMember> {}

export const SupplyNetworkResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  network: described.symbol,
  supply: Schema.Record(Schema.String, SupplyMember).annotate({
    description: "Latest value by metric name; metrics that are not measured are absent"
  }),
  ...described.access_counts,
  access: AccessNote,
  next_cursor: described.next_cursor
}).annotate({ identifier: "SupplyNetworkResponse", description: "Telemetry of one network, keyed by metric" })
export interface SupplyNetworkResponse extends Schema.Schema.Type<typeof SupplyNetworkResponse> {}

export const SupplyResponse = Schema.Union([SupplyNetworkResponse, SupplyListResponse]).annotate({
  description: "A list of value rows, or with `network` an object keyed by metric"
})
export type SupplyResponse = typeof SupplyResponse.Type
