/** Nosana's GPU markets: what an hour costs, by model. */
import { Schema } from "effect"
import type { Reading } from "../../core/plugin/Plugin.ts"
import { number, text } from "../../core/plugin/shapes/fields.ts"
import { modelOf, models } from "../../core/plugin/shapes/gpus.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import { maybe } from "../../core/plugin/Upstream.ts"

/** A market is one model in one tier, with one price for all its nodes. */
export const Market = Schema.Struct({
  type: text,
  slug: text,
  gpu_types: maybe(Schema.Array(Schema.Unknown)),
  usd_reward_per_hour: number
})

export const priceMetrics = {
  "gpu_price_*": {
    ...metric(
      "usd_per_hour",
      "What a node earns in an hour with the GPU whose model ends the name: the mean of the open markets for it; the network's fee comes on top."
    ),
    of: models
  }
} as const

/** The model of a market: that of its first card, or of the last word but the tier in `silent-ridge-4090-community`. */
const marketModel = ({ gpu_types, slug }: typeof Market.Type): string => {
  const card = gpu_types?.find((name) => typeof name === "string")
  const named = typeof card === "string" ? modelOf(card) : "other"
  return named === "other"
    ? modelOf(
        slug
          ?.replace(/-(community|premium)$/, "")
          .split("-")
          .at(-1) ?? ""
      )
    : named
}

/** Mean prices by model over the markets that anyone may use; a market without a price is in no mean. */
export const pricesOf = (
  markets: ReadonlyArray<typeof Market.Type>
): { readonly [K in `gpu_price_${string}`]: Reading } => {
  const priced = markets.flatMap((market) => {
    const { type, usd_reward_per_hour: usd } = market
    const model = marketModel(market)
    return (type === "PREMIUM" || type === "COMMUNITY") && model !== "other" && typeof usd === "number"
      ? [{ model, usd }]
      : []
  })
  return Object.fromEntries(
    [...Map.groupBy(priced, ({ model }) => model)].map(([model, group]) => [
      `gpu_price_${model}`,
      group.reduce((total, { usd }) => total + usd, 0) / group.length
    ])
  )
}
