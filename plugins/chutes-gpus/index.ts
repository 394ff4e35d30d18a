import { Schema } from "effect"
import { headline, mayDropToZero, metric, Plugin, partOf, readOn, sumOf, termsOn, Upstream } from "#plugin"
import { count, difference, sum } from "#plugin/fields"
import { byModel, gpuMetrics, mostGpus } from "#plugin/gpus"

// By model: GPUs that are assigned to an instance, and GPUs that wait.
const Inventory = Schema.Record(Schema.String, Schema.Struct({ provisioned: count, idle: count }))

export default Plugin.define({
  id: "chutes-gpus",
  title: "Chutes GPUs by model",
  covers: { networks: ["SN64"] },
  source: "chutes_nodes",
  tier: "supply_telemetry",
  hosts: ["api.chutes.ai"],
  every: "1 hour",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "chutesai/chutes-api@d390a53 api/node/router.py:31": "provisioned, idle"
  }),
  terms: termsOn("2026-11-25", "Data: Chutes, https://chutes.ai"),
  metrics: {
    registered_gpu_count: headline(
      "count",
      "GPUs that miners have registered, assigned to an instance or waiting; one that is not verified yet is among them.",
      { max: mostGpus }
    ),
    gpu_in_use: metric("count", "GPUs assigned to an instance, whether it serves yet or not.", {
      max: mostGpus
    }),
    gpu_available: mayDropToZero("count", "GPUs that are assigned to none.", { max: mostGpus }),
    ...gpuMetrics
  },
  relations: [
    sumOf("registered_gpu_count", ["gpu_in_use", "gpu_available"]),
    partOf("gpu_allocated_*", "gpu_allocatable_*"),
    partOf(["gpu_allocated_*"], "gpu_in_use"),
    partOf(["gpu_allocatable_*"], "registered_gpu_count")
  ],
  collect: (observe) =>
    Plugin.one(observe, "https://api.chutes.ai/nodes/", Inventory, (inventory, answer) => {
      const rows = Object.entries(inventory).map(([model, { idle, provisioned }]) => ({
        model,
        allocatable: sum([provisioned, idle]),
        allocated: provisioned
      }))
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
