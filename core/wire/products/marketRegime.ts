/** `market_regime`: probabilities of four regimes and a stability index. */
import { Schema } from "effect"
import { Asset } from "./bars.ts"
import { figure, head, missing, natural, share, words } from "./payload.ts"

export const Features = Schema.Struct({
  trend: figure("Mean 14-day logarithmic change of the assets, over its own volatility"),
  breadth: share("Share of the assets whose close lies above its 20-day mean"),
  volatility_ratio: figure("Volatility of the last 7 days over that of the last 20, mean of the assets")
}).annotate({ identifier: "RegimeFeatures", description: "What the probabilities are computed from" })

export const Probabilities = Schema.Struct({
  bull: Schema.Finite.annotate({ description: "Rising, broad" }),
  bear: Schema.Finite.annotate({ description: "Falling, broad" }),
  range: Schema.Finite.annotate({ description: "Without direction, calm" }),
  turbulent: Schema.Finite.annotate({ description: "Volatility above its own level" })
}).annotate({ identifier: "RegimeProbabilities", description: "They sum to 1" })
export type Probabilities = typeof Probabilities.Type

export const MarketRegime = Schema.Struct({
  ...head,
  date: Schema.NullOr(Schema.String).annotate({ format: "date", description: "UTC day of the newest bar" }),
  probabilities: Schema.NullOr(Probabilities).annotate({
    description: "Probability of each regime; null where an input is missing"
  }),
  regime: Schema.NullOr(words("The most probable")).annotate({
    description: "The most probable; null where the probabilities are"
  }),
  stability_index: figure(
    "0 to 100: how little the probabilities moved over the last 7 days; null below 8 days"
  ),
  features: Features,
  days: Schema.Array(
    Schema.Struct({
      date: Schema.String.annotate({ format: "date", description: "UTC day" }),
      probabilities: Probabilities
    })
  ).annotate({ description: "The probabilities of the last 8 days, oldest first" }),
  assets: Schema.Array(Schema.Struct({ ...Asset, n_bars: natural("Daily bars") })).annotate({
    description: "Where the bars come from"
  }),
  missing_fields: missing
}).annotate({ identifier: "MarketRegime", description: "Regime of the large assets" })
export interface MarketRegime extends Schema.Schema.Type<typeof MarketRegime> {}
