/** Akash's GPU prices by model. */
import { Schema } from "effect"
import { type Plugin, Upstream } from "#plugin"
import { count, quantity, text } from "#plugin/fields"
import { meanPrices, modelOf } from "#plugin/gpus"

/** A model of `gpu-prices` in one size and interface; a model that nobody offers has no price. */
export const Offer = Schema.Struct({
  model: text,
  availability: Upstream.maybe(Schema.Struct({ total: count })),
  price: Upstream.maybe(Schema.Struct({ currency: text, weightedAverage: quantity }))
})

/** Mean prices over the sizes and interfaces of each model, weighted by how many of each are offered. */
export const pricesOf = (
  offers: ReadonlyArray<typeof Offer.Type>
): { readonly [K in `gpu_price_${string}`]: Plugin.Reading } =>
  meanPrices(
    offers
      .filter(({ price }) => price !== null)
      .map(({ availability, model, price }) => ({
        model: modelOf(model ?? ""),
        usd: price?.currency === "USD" ? price.weightedAverage : undefined,
        weight: availability?.total
      }))
  )
