/** Akash's GPUs by model: counts for each model that the network is known to have, and for the rest; and prices. */
import type { Metric, Reading } from "../../core/plugin/Plugin.ts"
import { sum } from "../../core/plugin/shapes/fields.ts"
import { metric, swinging } from "../../core/plugin/shapes/metric.ts"

/** Models as the providers spell them; `other` takes every model that is not here. */
const known = [
  "a10",
  "a100",
  "a40",
  "a6000",
  "b200",
  "gtx1070ti",
  "gtx1080ti",
  "h100",
  "h200",
  "l4",
  "l40",
  "l40s",
  "p100",
  "p4",
  "p40",
  "pro6000se",
  "rtx2060",
  "rtx2080ti",
  "rtx3060ti",
  "rtx3070",
  "rtx3080",
  "rtx3090",
  "rtx4000",
  "rtx4060ti",
  "rtx4070",
  "rtx4090",
  "rtx5090",
  "rtxa6000",
  "t4",
  "v100"
] as const

type Model = (typeof known)[number]
type Count = `gpu_allocatable_${Model | "other"}` | `gpu_allocated_${Model | "other"}`
type Price = `gpu_price_${Model}`

const modelOf = (name: string): Model | "other" =>
  known.find((model) => model === name.toLowerCase()) ?? "other"

const counts = [...known, "other" as const].flatMap((model): ReadonlyArray<readonly [Count, Metric]> => {
  const which = model === "other" ? "models without a metric of their own" : `model ${model}`
  return [
    [`gpu_allocatable_${model}`, swinging("count", `GPUs offered, ${which}.`)],
    [`gpu_allocated_${model}`, swinging("count", `GPUs allocated, ${which}.`)]
  ]
})

const prices = known.map((model): readonly [Price, Metric] => [
  `gpu_price_${model}`,
  metric("usd_per_hour", `Price of one GPU for an hour, model ${model}, weighted by the GPUs offered.`)
])

export const gpuMetrics = Object.fromEntries([...counts, ...prices]) as {
  readonly [K in Count | Price]: Metric
}

interface Row {
  readonly model: string
  readonly allocatable?: number | null | undefined
  readonly allocated?: number | null | undefined
}

/** Sums over the sizes and interfaces of each model; a model that nobody lists is absent. */
export const countsOf = (rows: ReadonlyArray<Row>): { readonly [K in Count]?: Reading } => {
  const groups = Map.groupBy(rows, ({ model }) => modelOf(model))
  return Object.fromEntries(
    [...groups].flatMap(
      ([model, group]): ReadonlyArray<readonly [Count, Reading]> => [
        [`gpu_allocatable_${model}`, sum(group.map(({ allocatable }) => allocatable))],
        [`gpu_allocated_${model}`, sum(group.map(({ allocated }) => allocated))]
      ]
    )
  )
}

/** A model of `gpu-prices` in one size and interface; a model that nobody offers has no price. */
export interface Offer {
  readonly model: string
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
export const pricesOf = (offers: ReadonlyArray<Offer>): { readonly [K in Price]?: Reading } => {
  const priced = offers.flatMap(({ availability, model: name, price }) => {
    const model = modelOf(name)
    const { currency, weightedAverage: usd } = price ?? {}
    const weight = availability?.total
    return model !== "other" && currency === "USD" && typeof usd === "number" && typeof weight === "number"
      ? [{ model, usd, weight }]
      : []
  })
  return Object.fromEntries(
    [...Map.groupBy(priced, ({ model }) => model)].flatMap(([model, group]) => {
      const weights = group.reduce((total, { weight }) => total + weight, 0)
      const usd = group.reduce((total, { usd, weight }) => total + usd * weight, 0) / weights
      return weights > 0 ? [[`gpu_price_${model}`, usd] as const] : []
    })
  )
}
