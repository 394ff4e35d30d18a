/** Akash's GPUs: counts and prices by model. */
import type { Reading } from "../../core/plugin/Plugin.ts"
import { gpuMetrics, modelOf, models } from "../../core/plugin/shapes/gpus.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"

export const metrics = {
  ...gpuMetrics,
  "gpu_price_*": {
    ...metric(
      "usd_per_hour",
      "Price of one GPU for an hour, of the model at the end of the name, weighted by the GPUs offered."
    ),
    of: models
  }
} as const

/** A model of `gpu-prices` in one size and interface; a model that nobody offers has no price. */
export interface Offer {
  readonly model?: string | null | undefined
  readonly availability?: { readonly total?: number | null | undefined } | null | undefined
  readonly price?:
    | {
        readonly currency?: string | null | undefined
        readonly weightedAverage?: number | null | undefined
      }
    | null
    | undefined
}

/** Mean prices over the sizes and interfaces of each model, weighted by how many of each are offered. */
export const pricesOf = (
  offers: ReadonlyArray<Offer>
): { readonly [K in `gpu_price_${string}`]: Reading } => {
  const priced = offers.flatMap(({ availability, model: name, price }) => {
    const model = modelOf(name ?? "")
    if (model === "other" || price === null) return []
    const { currency, weightedAverage: usd } = price ?? {}
    const weight = availability?.total
    // A size whose price or number is not known leaves the model's mean unknown.
    return currency === "USD" && typeof usd === "number" && typeof weight === "number"
      ? [{ model, usd, weight }]
      : [{ model, usd: Number.NaN, weight: 1 }]
  })
  return Object.fromEntries(
    [...Map.groupBy(priced, ({ model }) => model)].flatMap(([model, group]) => {
      const weights = group.reduce((total, { weight }) => total + weight, 0)
      const usd = group.reduce((total, { usd, weight }) => total + usd * (weight / weights), 0)
      return weights > 0 && !Number.isNaN(usd) ? [[`gpu_price_${model}`, usd] as const] : []
    })
  )
}
