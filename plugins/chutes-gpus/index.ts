import { Schema } from "effect"
import { mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { counts, difference, sum, text } from "#plugin/fields"
import { byModel, gpuMetrics } from "#plugin/gpus"

// By the miner's key: the GPUs that serve, each by itself, and how many of each model wait.
const Inventory = Schema.Record(
  Schema.String,
  Schema.Struct({ provisioned: Schema.Array(Schema.Struct({ gpu: text })), idle: counts })
)

export default Plugin.define({
  id: "chutes-gpus",
  title: "Chutes GPUs by model",
  covers: { networks: ["SN64"] },
  source: "chutes_nodes",
  hosts: ["api.chutes.ai"],
  every: "1 hour",
  grade: "B",
  metrics: {
    registered_gpu_count: metric("count", "GPUs of all miners, those that serve and those that wait."),
    gpu_in_use: metric("count", "GPUs that serve a model."),
    gpu_available: mayDropToZero("count", "GPUs that wait for a model."),
    ...gpuMetrics
  },
  collect: (observe) =>
    Plugin.one(observe, "https://api.chutes.ai/nodes/?detailed=true", Inventory, (inventory, answer) => {
      const rows = Object.values(inventory).flatMap(({ idle, provisioned }) => [
        ...provisioned.map(({ gpu }) => ({ model: gpu ?? "", allocatable: 1, allocated: 1 })),
        ...Object.entries(idle).map(([model, waiting]) => ({ model, allocatable: waiting, allocated: 0 }))
      ])
      const offered = sum(rows.map(({ allocatable }) => allocatable))
      const used = sum(rows.map(({ allocated }) => allocated))
      if (rows.length === 0 || offered === 0) return Upstream.implausible(answer, "", "no GPU listed")
      return {
        registered_gpu_count: offered,
        gpu_in_use: used,
        gpu_available: difference(offered, used),
        // A card without a model may be of any: then no model's figures are whole.
        ...(rows.every(({ model }) => model !== "") ? byModel(rows) : {})
      }
    })
})
