import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byModel, gpuMetrics } from "../../core/plugin/shapes/gpus.ts"
import { metric, swinging } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const size = 100
const url = (page: number) =>
  `https://gridproxy.grid.tf/nodes?status=up&has_gpu=true&size=${size}&page=${page}`

const Nodes = Schema.Array(
  Schema.Struct({
    nodeId: Schema.Natural,
    // A node that did not report its cards has none in the list.
    gpus: Upstream.maybe(
      Schema.Array(Schema.Struct({ id: Schema.String, device: Schema.String, contract: Schema.Natural }))
    )
  })
)

export default Plugin.define({
  id: "threefold-gpus",
  title: "ThreeFold GPUs by model",
  covers: { networks: ["TFT"] },
  tier: "supply_telemetry",
  source: "threefold_nodes",
  hosts: ["gridproxy.grid.tf"],
  every: "1 hour",
  calls: 10,
  grade: "A",
  owner: "plumbline",
  metrics: {
    gpu_in_use: metric("count", "GPUs of the nodes up that a contract holds."),
    gpu_available: swinging("count", "GPUs of the nodes up that no contract holds."),
    ...gpuMetrics
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answers = yield* Upstream.pages(
        url(1),
        Nodes,
        ({ body }, page) => (body.length < size ? undefined : url(page + 1)),
        10
      )
      const [answer] = answers
      if (answer === undefined) return []
      // A list that changes between two pages may name a node twice.
      const nodes = new Map(answers.flatMap(({ body }) => body.map((node) => [node.nodeId, node.gpus])))
      const gpus = [...nodes.values()].flatMap((cards) => cards ?? [])
      if (gpus.length === 0) return yield* Upstream.implausible(answer, "", "no GPU listed")
      const used = gpus.filter(({ contract }) => contract !== 0).length
      return observe(answer, {
        gpu_in_use: used,
        gpu_available: gpus.length - used,
        ...byModel(
          gpus.map(({ contract, device }) => ({
            model: device,
            allocatable: 1,
            allocated: contract === 0 ? 0 : 1
          }))
        )
      })
    })
})
