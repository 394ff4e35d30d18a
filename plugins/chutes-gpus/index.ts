import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { counts, difference, sum, text } from "../../core/plugin/shapes/fields.ts"
import { byModel, gpuMetrics } from "../../core/plugin/shapes/gpus.ts"
import { mayDropToZero, metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

// By the miner's key: the GPUs that serve, each by itself, and how many of each model wait.
const Inventory = Schema.Record(
  Schema.String,
  Schema.Struct({
    provisioned: Schema.Array(Schema.Struct({ gpu: text })),
    idle: counts
  })
)

export default Plugin.define({
  id: "chutes-gpus",
  title: "Chutes GPUs by model",
  covers: { networks: ["SN64"] },
  tier: "supply_telemetry",
  source: "chutes_nodes",
  hosts: ["api.chutes.ai"],
  every: "1 hour",
  grade: "B",
  owner: "plumbline",
  metrics: {
    registered_gpu_count: metric("count", "GPUs of all miners, those that serve and those that wait."),
    gpu_in_use: metric("count", "GPUs that serve a model."),
    gpu_available: mayDropToZero("count", "GPUs that wait for a model."),
    ...gpuMetrics
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://api.chutes.ai/nodes/?detailed=true", Inventory)
      const miners = Object.values(answer.body)
      const rows = miners.flatMap(({ idle, provisioned }) => [
        ...provisioned.map(({ gpu }) => ({ model: gpu ?? "", allocatable: 1, allocated: 1 })),
        ...Object.entries(idle).map(([model, waiting]) => ({
          model,
          allocatable: waiting,
          allocated: 0
        }))
      ])
      const offered = sum(rows.map(({ allocatable }) => allocatable))
      const used = sum(rows.map(({ allocated }) => allocated))
      if (rows.length === 0 || offered === 0) return yield* Upstream.implausible(answer, "", "no GPU listed")
      // A card without a model may be of any: then no model's figures are whole.
      const models = rows.every(({ model }) => model !== "") ? byModel(rows) : {}
      return observe(answer, {
        registered_gpu_count: offered,
        gpu_in_use: used,
        gpu_available: difference(offered, used),
        ...models
      })
    })
})
