/** Akash's GPU prices by model. */
import { Schema } from "effect"
import type { Reading } from "../../core/plugin/Plugin.ts"
import { count, quantity, text } from "../../core/plugin/shapes/fields.ts"
import { meanPrices, modelOf } from "../../core/plugin/shapes/gpus.ts"
import { maybe } from "../../core/plugin/Upstream.ts"

/** A model of `gpu-prices` in one size and interface; a model that nobody offers has no price. */
export const Offer = Schema.Struct({
  model: text,
  availability: maybe(Schema.Struct({ total: count })),
  price: maybe(Schema.Struct({ currency: text, weightedAverage: quantity }))
})

/** Mean prices over the sizes and interfaces of each model, weighted by how many of each are offered. */
export const pricesOf = (
  offers: ReadonlyArray<typeof Offer.Type>
): { readonly [K in `gpu_price_${string}`]: Reading } =>
  meanPrices(
    offers
      .filter(({ price }) => price !== null)
      .map(({ availability, model, price }) => ({
        model: modelOf(model ?? ""),
        usd: price?.currency === "USD" ? price.weightedAverage : undefined,
        weight: availability?.total
      }))
  )
