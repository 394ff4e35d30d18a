/** GPUs by model, offered and in use apart, and what an hour costs: the families `gpu_allocat…_*` and `gpu_price_*`. */
import type { Reading } from "../Plugin.ts"
import type { Numeric } from "../Unreadable.ts"
import { combine, sum } from "./fields.ts"
import { breakdown, mayDropToZero } from "./metric.ts"

/** Models that have a metric of their own; `other` takes the rest, so that no upstream can make up series. */
export const models = [
  "a10",
  "a10g",
  "a100",
  "a100_40gb",
  "a100_40gb_sxm",
  "a100_sxm",
  "a40",
  "a4000",
  "a4000_ada",
  "a5000",
  "a6000",
  "a6000_ada",
  "b200",
  "b300",
  "gb200",
  "gh200",
  "gtx1050ti",
  "gtx1060",
  "gtx1070",
  "gtx1070ti",
  "gtx1080",
  "gtx1080ti",
  "gtx1650",
  "gtx1660",
  "gtx1660super",
  "gtx1660ti",
  "h100",
  "h100_nvl",
  "h100_sxm",
  "h20",
  "h200",
  "h800",
  "l4",
  "l40",
  "l40s",
  "mi100",
  "mi210",
  "mi250",
  "mi300x",
  "mi325x",
  "p100",
  "p4",
  "p40",
  "pro6000se",
  "pro_6000",
  "rtx2060",
  "rtx2070",
  "rtx2080",
  "rtx2080super",
  "rtx2080ti",
  "rtx3050",
  "rtx3060",
  "rtx3060ti",
  "rtx3070",
  "rtx3070ti",
  "rtx3080",
  "rtx3080ti",
  "rtx3090",
  "rtx3090ti",
  "rtx4000",
  "rtx4060",
  "rtx4060ti",
  "rtx4070",
  "rtx4070super",
  "rtx4070ti",
  "rtx4080",
  "rtx4080super",
  "rtx4090",
  "rtx5070",
  "rtx5070ti",
  "rtx5080",
  "rtx5090",
  "rtx6000",
  "rtxa4000",
  "rtxa5000",
  "rtxa6000",
  "t4",
  "v100"
] as const

/** Words of a name that say no more of the model: makers and their lines, buses, and how drivers end a name. */
const idle =
  /^(nvidia|amd|geforce|radeon|instinct|tesla|quadro|graphics|pcie|oam|generation|gpu|edition|hbm\d?e?|gddr\d+x?)$/

/** What the words that are left mean, where the list has another name for it. */
const renamed: Readonly<Record<string, string>> = {
  a4000ada: "a4000_ada",
  a6000ada: "a6000_ada",
  rtx4000ada: "a4000_ada",
  rtx6000ada: "a6000_ada",
  rtxpro6000: "pro_6000",
  rtxpro6000blackwell: "pro_6000",
  rtxpro6000blackwellworkstation: "pro_6000",
  rtxpro6000blackwellserver: "pro6000se",
  pro6000: "pro_6000"
}

/** Forms of a name, the more exact ones first: with its memory and form factor, with either, with none. */
const formsOf = (name: string): ReadonlyArray<string> => {
  const words = name
    .toLowerCase()
    .split(/[\s_\-/,()]+/)
    .filter((word) => word !== "")
  const memory = words.find((word) => /^\d+gb$/.test(word))
  const isNvl = words.includes("nvl")
  // Of the H100, only the one on a board has this memory, and its driver says no more.
  const isSxm =
    words.some((word) => /^sxm\d?$/.test(word)) || (words.includes("h100") && words.includes("hbm3"))
  const factor = isNvl ? "nvl" : isSxm ? "sxm" : undefined
  const bare = words
    .filter((word) => !idle.test(word) && !/^(\d+gb|sxm\d?|nvl)$/.test(word))
    .join("")
    .replace(/^(?=[2-5]0[5-9]0)/, "rtx")
  const model = renamed[bare] ?? bare
  return [
    [model, memory, factor],
    [model, factor],
    factor === undefined ? [model, memory] : [model],
    [model]
  ].map((parts) => parts.filter((part) => part !== undefined).join("_"))
}

/**
 * The model that an upstream names: `H100`, `4090`, `GA102 [GeForce RTX 3090]`, `NVIDIA A100-SXM4-80GB`; `other` for one without a
 * metric, such as a part of a card or one of a laptop.
 */
export const modelOf = (name: string): string => {
  const inside = /\[([^\]]+)\]/.exec(name)?.[1] ?? name
  const word = inside.trim().toLowerCase()
  return (
    [word, ...formsOf(inside)].map((form) => models.find((model) => model === form)).find(Boolean) ?? "other"
  )
}

/** More GPUs than any network can have: some ten times as many as are made for data centres in a year. */
export const mostGpus = 1e8

/** The two families of counts, for a manifest. */
export const gpuMetrics = {
  "gpu_allocatable_*": {
    ...mayDropToZero(
      "count",
      "GPUs offered, by model: the name ends in the model, or in other for models without a name of their own.",
      { role: "breakdown", max: mostGpus }
    ),
    of: [...models, "other"]
  },
  "gpu_allocated_*": {
    ...mayDropToZero(
      "count",
      "GPUs in use, by model: the name ends in the model, or in other for models without a name of their own.",
      { role: "breakdown", max: mostGpus }
    ),
    of: [...models, "other"]
  }
} as const

/** The family of prices, for a manifest: `meaning` says whose price it is, and of which offers. */
export const priceMetrics = (meaning: string) => ({
  "gpu_price_*": { ...breakdown("usd_per_hour", meaning), of: models }
})

interface Offer {
  readonly model: string
  /** US dollars for an hour. */
  readonly usd: Numeric | null | undefined
  readonly weight: Numeric | null | undefined
}

/**
 * Mean price of each model, weighted over its offers. A model with an unmeasured price or weight has no mean, nor do models
 * without a name of their own.
 */
export const meanPrices = (
  offers: ReadonlyArray<Offer>
): { readonly [K in `gpu_price_${string}`]: Reading } =>
  Object.fromEntries(
    [...Map.groupBy(offers, ({ model }) => model)].flatMap(([model, group]) => {
      const weights = sum(group.map(({ weight }) => weight))
      if (model === "other" || weights === undefined || weights === 0) return []
      // Shares of the price: the mean of one offer is exactly that.
      const mean = sum(
        group.map(({ usd, weight }) =>
          combine([usd, weight, weights], ([usd, weight, weights]) => usd * (weight / weights))
        )
      )
      return [[`gpu_price_${model}`, mean] as const]
    })
  )

interface Row {
  readonly model?: string | null | undefined
  readonly allocatable?: Numeric | null | undefined
  readonly allocated?: Numeric | null | undefined
}

/** Sums over the rows of each model: sizes, interfaces, hosts. A model that nobody lists is absent. */
export const byModel = (
  rows: ReadonlyArray<Row>
): { readonly [K in `gpu_allocatable_${string}` | `gpu_allocated_${string}`]: Reading } =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ model }) => modelOf(model ?? ""))].flatMap(([model, group]) => [
      [`gpu_allocatable_${model}`, sum(group.map(({ allocatable }) => allocatable))],
      [`gpu_allocated_${model}`, sum(group.map(({ allocated }) => allocated))]
    ])
  )
