/** Akash's GPU prices by model. */
import { Schema } from "effect"
import type { Plugin } from "#plugin"
import { count, object, quantity, text } from "#plugin/fields"
import { meanPrices, modelOf } from "#plugin/gpus"

/** A model of `gpu-prices` in one size and interface; a model that nobody offers has no price. */
export const Offer = Schema.Struct({
  model: text,
  availability: object({ total: count }),
  price: object({ currency: text, weightedAverage: quantity })
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
