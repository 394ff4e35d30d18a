/** `depin_health_profile`: what is measured about one network, and what is not. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, inputs, missing, natural, share } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const HealthProfile = Schema.Struct({
  ...head,
  symbol: described.symbol,
  name: Schema.NullOr(Schema.String).annotate({ description: "Name in the catalog; null for a sector" }),
  category: Schema.NullOr(Category).annotate({ description: "What the network offers; null for a sector" }),
  live_series: natural("Series with a value younger than 7 days"),
  telemetry_series: natural("Live series that are the network's own telemetry"),
  fresh_share: share("Share of the live series whose value is younger than 26 hours; null if there are none"),
  active_ratio: share("Active nodes over all nodes; null if either is not measured"),
  fdv_to_market_cap: figure("Fully diluted valuation over market capitalisation"),
  price_change_30d_pct: figure("Change of the price over 30 days, in percent"),
  fees_30d_usd: figure("Protocol fees over 30 days, in US dollars"),
  tvl_usd: figure("Total value locked, in US dollars"),
  holders_count: figure("Addresses that hold the token"),
  days_since_push: figure("Days since the newest push to its repositories"),
  health_score: figure("0 to 100, computed as the methodology describes; null if an input is not measured"),
  missing_fields: missing,
  evidence_json: Schema.String.annotate({
    contentMediaType: "application/json",
    description: "The inputs as one canonical JSON string (RFC 8785), for storing and hashing"
  }),
  inputs
}).annotate({ identifier: "HealthProfile", description: "The health of one network" })
export interface HealthProfile extends Schema.Schema.Type<typeof HealthProfile> {}

export default define({
  key: "depin_health_profile",
  title: "DePIN health profile",
  schema: HealthProfile,
  sale: {
    content: "Health profile for one fixed network; absent inputs are null and named; includes evidence_json",
    free: "Free: each input at /v1/network/{symbol}. Sold: the profile made of them.",
    price: "4.99"
  },
  view: {
    path: "/v1/health-profile",
    title: "Health of one network",
    capability: "engines",
    section: "Engines",
    takes: "symbol"
  }
})
