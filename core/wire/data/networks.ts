/** `/v1/networks` and `/try`. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { AccessNote } from "./access.ts"
import { described } from "./valueRow.ts"

export const TelemetryTier = Schema.Literals(["first_party", "market_only", "catalog_only"])
export type TelemetryTier = typeof TelemetryTier.Type

const row = {
  symbol: described.symbol,
  name: Schema.String.annotate({ description: "Name of the network" }),
  category: Category.annotate({ description: "What the network offers" }),
  telemetry_tier: TelemetryTier.annotate({
    description:
      "`first_party`: its own telemetry is measured; `market_only`: only market, fee, holder or developer series; " +
      "`catalog_only`: listed, nothing measured"
  }),
  live_series: Schema.Natural.annotate({ description: "Series with a value younger than 7 days" }),
  stamped_on_chain: Schema.Boolean.annotate({
    description: "True when a value of the network lies in a batch whose Bitcoin anchor is confirmed"
  })
}

export const NetworkRow = Schema.Struct(row).annotate({
  identifier: "NetworkRow",
  description: "One network of the catalog"
})
export interface NetworkRow extends Schema.Schema.Type<typeof NetworkRow> {}

export const NetworksResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  networks: Schema.Array(NetworkRow).annotate({
    description:
      "Networks of the catalog: those with telemetry first, then those with other series, then those that are only listed; with `query` the best match first in each"
  }),
  n_networks_shown: Schema.Natural.annotate({ description: "Networks in this answer" }),
  n_networks: Schema.Natural.annotate({ description: "Networks in the catalog, subnets counted" }),
  not_covered: described.not_covered,
  access: AccessNote,
  n_matching: Schema.optionalKey(
    Schema.Natural.annotate({ description: "With `query`: networks of the catalog that match, shown or not" })
  ),
  also_matching: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "With `query`: symbols that match and are not in this caller's sample, measured ones first, at most 100; " +
        "/v1/network/{symbol} reads each"
    })
  ),
  next_cursor: described.next_cursor
}).annotate({
  identifier: "NetworksResponse",
  description: "The catalog of networks; without a key a sample"
})
export interface NetworksResponse extends Schema.Schema.Type<typeof NetworksResponse> {}

export const TryRow = Schema.Struct({
  ...row,
  verify_url: described.verify_url
}).annotate({ identifier: "TryRow", description: "A showcase network" })
export interface TryRow extends Schema.Schema.Type<typeof TryRow> {}

export const TryResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  networks: Schema.Array(TryRow).annotate({
    description: "Three showcase networks that have data; fewer only while fewer have any"
  })
}).annotate({ identifier: "TryResponse", description: "Three networks to begin with" })
export interface TryResponse extends Schema.Schema.Type<typeof TryResponse> {}
