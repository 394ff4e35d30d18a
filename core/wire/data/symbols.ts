/** `/v1/symbols`. */
import { Schema } from "effect"
import { NetworkRow } from "./networks.ts"
import { described, MissingReason } from "./valueRow.ts"

export const SymbolRow = Schema.Struct({
  ...NetworkRow.fields,
  headline: Schema.optionalKey(
    Schema.String.annotate({
      description: "The metric that stands for the network; absent if nothing is measured"
    })
  ),
  missing_headline: Schema.optionalKey(
    Schema.Struct({ metric: described.metric, reason: MissingReason }).annotate({
      description: "The metric that would stand for the network, and why it does not; absent if it does"
    })
  ),
  metrics: Schema.Array(Schema.String).annotate({
    description: "Names of the metrics with a latest value, sorted; /v1/network/{symbol} has the values"
  })
}).annotate({ identifier: "SymbolRow", description: "One network of the catalog and what is measured of it" })
export interface SymbolRow extends Schema.Schema.Type<typeof SymbolRow> {}

export const SymbolsResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  symbols: Schema.Array(SymbolRow).annotate({
    description: "Every network of the catalog: those with telemetry first, those only listed last"
  }),
  n_symbols: Schema.Natural.annotate({
    description: "Networks in the catalog, including subnets; with a selection, those that match"
  }),
  next_cursor: described.next_cursor
}).annotate({
  identifier: "SymbolsResponse",
  description: "The whole catalog with its coverage, without values"
})
export interface SymbolsResponse extends Schema.Schema.Type<typeof SymbolsResponse> {}
