/** The split of Akash's GPUs by model: two metrics for each model that the network is known to have, and for the rest. */
import type { Metric, Reading } from "../../core/plugin/Plugin.ts"
import { sum } from "../../core/plugin/shapes/fields.ts"
import { swinging } from "../../core/plugin/shapes/metric.ts"

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
  "v100",
  "other"
] as const

type Name = `gpu_allocatable_${(typeof known)[number]}` | `gpu_allocated_${(typeof known)[number]}`

const pairs = known.flatMap((model): ReadonlyArray<readonly [Name, Metric]> => {
  const which = model === "other" ? "models without a metric of their own" : `model ${model}`
  return [
    [`gpu_allocatable_${model}`, swinging("count", `GPUs offered, ${which}.`)],
    [`gpu_allocated_${model}`, swinging("count", `GPUs allocated, ${which}.`)]
  ]
})

export const gpuMetrics = Object.fromEntries(pairs) as { readonly [K in Name]: Metric }

interface Row {
  readonly model: string
  readonly allocatable?: number | null | undefined
  readonly allocated?: number | null | undefined
}

/** Sums over the sizes and interfaces of each model; a model that nobody lists is absent. */
export const models = (rows: ReadonlyArray<Row>): { readonly [K in Name]?: Reading } => {
  const groups = Map.groupBy(
    rows,
    ({ model }) => known.find((name) => name === model.toLowerCase()) ?? "other"
  )
  return Object.fromEntries(
    [...groups].flatMap(
      ([model, group]): ReadonlyArray<readonly [Name, Reading]> => [
        [`gpu_allocatable_${model}`, sum(group.map(({ allocatable }) => allocatable))],
        [`gpu_allocated_${model}`, sum(group.map(({ allocated }) => allocated))]
      ]
    )
  )
}
