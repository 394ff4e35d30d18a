import { Effect, Schema } from "effect"
import { mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { count, difference, sum, text } from "#plugin/fields"
import { byModel, gpuMetrics } from "#plugin/gpus"

const size = 100
const url = (page: number) =>
  `https://gridproxy.grid.tf/nodes?status=up&has_gpu=true&size=${size}&page=${page}`

const Nodes = Schema.Array(
  Schema.Struct({
    nodeId: count,
    // A node that did not report its cards has none in the list.
    gpus: Upstream.maybe(
      // A card that is free has the contract 0.
      Schema.Array(Schema.Struct({ device: text, contract: count }))
    )
  })
)

export default Plugin.define({
  id: "threefold-gpus",
  title: "ThreeFold GPUs by model",
  covers: { networks: ["TFT"] },
  source: "threefold_nodes",
  tier: "supply_telemetry",
  hosts: ["gridproxy.grid.tf"],
  every: "1 hour",
  calls: 10,
  grade: "A",
  evidence: [
    {
      source: "the operator's own types (threefoldtech/tfgrid-sdk-go grid-proxy/pkg/types)",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    gpu_in_use: metric("count", "GPUs of the nodes up that a contract holds."),
    gpu_available: mayDropToZero("count", "GPUs of the nodes up that no contract holds."),
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
      const nodes = new Map(
        answers.flatMap(({ body }, page) =>
          body.map((node, index) => [node.nodeId || `${page} ${index}`, node.gpus] as const)
        )
      )
      const gpus = [...nodes.values()].flatMap((cards) => cards ?? [])
      if (gpus.length === 0) return yield* Upstream.implausible(answer, "", "no GPU listed")
      const cards = gpus.map(({ contract, device }) => ({
        model: device,
        allocatable: 1,
        allocated: typeof contract === "number" && contract > 0 ? 1 : contract
      }))
      const used = sum(cards.map(({ allocated }) => allocated))
      return observe(answer, {
        gpu_in_use: used,
        gpu_available: difference(gpus.length, used),
        ...byModel(cards)
      })
    })
})
