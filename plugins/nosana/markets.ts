/** Nosana's GPU markets: what an hour costs, by model. */
import { Schema } from "effect"
import { type Plugin, Upstream } from "#plugin"
import { number, text } from "#plugin/fields"
import { meanPrices, modelOf } from "#plugin/gpus"

/** A market is one model in one tier, with one price for all its nodes. */
export const Market = Schema.Struct({
  /** The market's account on Solana. */
  address: Schema.NonEmptyString,
  type: text,
  slug: text,
  gpu_types: Upstream.maybe(Schema.Array(Schema.Unknown)),
  usd_reward_per_hour: number
})

/** The model of a market: that of its first card, or of the last word but the tier in `silent-ridge-4090-community`. */
const modelOfMarket = ({ gpu_types, slug }: typeof Market.Type): string => {
  const card = gpu_types?.find((name) => typeof name === "string")
  const model = modelOf(typeof card === "string" ? card : "")
  const word = slug
    ?.replace(/-(community|premium)$/, "")
    .split("-")
    .at(-1)
  return model === "other" ? modelOf(word ?? "") : model
}

/** Mean prices by model over the markets that anyone may use; a market without a price is in no mean. */
export const pricesOf = (
  markets: ReadonlyArray<typeof Market.Type>
): { readonly [K in `gpu_price_${string}`]: Plugin.Reading } =>
  meanPrices(
    markets
      .filter(({ type }) => type === "PREMIUM" || type === "COMMUNITY")
      .filter(({ usd_reward_per_hour: price }) => price !== null && price !== undefined)
      .map((market) => ({ model: modelOfMarket(market), usd: market.usd_reward_per_hour, weight: 1 }))
  )
