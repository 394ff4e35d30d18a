/** `market_regime`: probabilities of four regimes and a stability index. */
import { Schema } from "effect"
import { Asset } from "../../wire/products/bars.ts"
import { figure, head, missing, natural, share, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const Features = Schema.Struct({
  trend: figure("Mean 14-day logarithmic change of the assets, divided by its volatility"),
  breadth: share("Share of the assets whose close is above its 20-day mean"),
  volatility_ratio: figure(
    "Volatility of the last 7 days divided by that of the last 20, averaged over the assets"
  )
}).annotate({ identifier: "RegimeFeatures", description: "What the probabilities are computed from" })

export const Probabilities = Schema.Struct({
  bull: Schema.Finite.annotate({ description: "Broad rise" }),
  bear: Schema.Finite.annotate({ description: "Broad fall" }),
  range: Schema.Finite.annotate({ description: "Calm, no direction" }),
  turbulent: Schema.Finite.annotate({ description: "Volatility above its usual level" })
}).annotate({ identifier: "RegimeProbabilities", description: "Probability of each regime; they sum to 1" })
export type Probabilities = typeof Probabilities.Type

export const MarketRegime = Schema.Struct({
  ...head,
  date: Schema.NullOr(Schema.String).annotate({ format: "date", description: "UTC day of the newest bar" }),
  probabilities: Schema.NullOr(Probabilities).annotate({
    description: "Probability of each regime; null if an input is missing"
  }),
  regime: Schema.NullOr(textField("The most probable regime")).annotate({
    description: "The most probable regime; null if the probabilities are null"
  }),
  stability_index: figure(
    "0 to 100: how stable the probabilities were over the last 7 days; null with fewer than 8 days"
  ),
  features: Features,
  days: Schema.Array(
    Schema.Struct({
      date: Schema.String.annotate({ format: "date", description: "UTC day" }),
      probabilities: Probabilities
    })
  ).annotate({ description: "The probabilities of the last 8 days, oldest first" }),
  assets: Schema.Array(Schema.Struct({ ...Asset, n_bars: natural("Daily bars") })).annotate({
    description: "Provenance of the bars"
  }),
  missing_fields: missing
}).annotate({ identifier: "MarketRegime", description: "Market regime of the large assets" })
export interface MarketRegime extends Schema.Schema.Type<typeof MarketRegime> {}

export default define({
  key: "market_regime",
  title: "Market regime",
  schema: MarketRegime,
  sale: {
    content: "Regime probabilities and a 0 to 100 stability index",
    price: "14.99"
  },
  view: {
    path: "/v1/market-regime",
    title: "Regime and stability",
    capability: "engines",
    section: "Engines"
  }
})
