import { Effect, Schema } from "effect"
import {
  capacity,
  compareNumbers,
  isNumber,
  mayDropToZero,
  metric,
  Plugin,
  partOf,
  readOn,
  sumOf,
  termsOn,
  Upstream
} from "#plugin"
import { count, difference, distinct, sum, text } from "#plugin/fields"
import { byModel, gpuMetrics, mostGpus } from "#plugin/gpus"

const size = 100
const url = (page: number) =>
  `https://gridproxy.grid.tf/nodes?status=up&has_gpu=true&size=${size}&page=${page}`

const Nodes = Schema.Array(
  Schema.Struct({
    nodeId: count,
    // A node that did not report its cards has none in the list.
    gpus: Upstream.maybe(
      // A card that is free has the contract 0; its id is its slot in the node and its kind.
      Schema.Array(Schema.Struct({ id: text, device: text, contract: count }))
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
  evidence: readOn("2026-11-25", {
    "threefoldtech/tfgrid-sdk-go@10e7b39086e44923901106554718dfd05739ffae grid-proxy/internal/explorer/db/setup.sql:143":
      "gpus, id, vendor, contract, device",
    "threefoldtech/tfgrid-sdk-go@10e7b39086e44923901106554718dfd05739ffae grid-proxy/internal/explorer/db/postgres.go:590":
      "HasGPU, node_gpu_count",
    "threefoldtech/tfgrid-sdk-go@10e7b39086e44923901106554718dfd05739ffae grid-proxy/pkg/types/nodes.go:47":
      "nodeId, num_gpu, gpus, has_gpu"
  }),
  metrics: {
    registered_gpu_count: capacity("count", "GPUs of the nodes up, each card of a node once.", {
      max: mostGpus
    }),
    gpu_in_use: metric("count", "GPUs of the nodes up that a contract holds.", { max: mostGpus }),
    gpu_available: mayDropToZero("count", "GPUs of the nodes up that no contract holds.", { max: mostGpus }),
    ...gpuMetrics
  },
  relations: [
    // A card whose contract is not told is a card all the same.
    sumOf("registered_gpu_count", ["gpu_in_use", "gpu_available"], {
      optional: ["gpu_in_use", "gpu_available"]
    }),
    // No model is always there, so that these are no sums.
    partOf(["gpu_allocatable_*"], "registered_gpu_count"),
    partOf(["gpu_allocated_*"], "gpu_in_use"),
    partOf("gpu_allocated_*", "gpu_allocatable_*")
  ],
  terms: termsOn("2026-11-25", "Data: ThreeFold grid proxy, gridproxy.grid.tf", {
    address:
      "https://git.ourworld.tf/tfgrid/info_tfgrid/raw/commit/97854b5b8ff343ddcd91173df8eccabb91bd1aac/collections/manual_legal/disclaimer.md"
  }),
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
      // The grid's own list names a card once for each node that has another one in the same slot.
      const gpus = [...nodes.values()].flatMap((cards) => {
        const numbered = (cards ?? []).map((card, number) => ({ ...card, number }))
        return distinct(numbered, ({ id, number }) => (typeof id === "string" ? id : number))
      })
      if (gpus.length === 0) return yield* Upstream.implausible(answer, "", "no GPU listed")
      const cards = gpus.map(({ contract, device }) => ({
        model: device,
        allocatable: 1,
        allocated: isNumber(contract) && compareNumbers(contract, 0) > 0 ? 1 : contract
      }))
      const used = sum(cards.map(({ allocated }) => allocated))
      return observe(answer, {
        registered_gpu_count: gpus.length,
        gpu_in_use: used,
        gpu_available: difference(gpus.length, used),
        ...byModel(cards)
      })
    })
})
