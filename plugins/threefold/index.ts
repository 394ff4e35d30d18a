import { Effect, Schema } from "effect"
import {
  breakdown,
  capacity,
  headline,
  mayDropToZero,
  metric,
  neverFalls,
  Plugin,
  partOf,
  readOn,
  sumOf,
  termsOn,
  Upstream
} from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, counts, quantity, sum } from "#plugin/fields"

const Stats = Schema.Struct({
  nodes: count,
  farms: count,
  totalCru: quantity,
  totalSru: quantity,
  totalHru: quantity,
  totalMru: quantity,
  gpus: count,
  contracts: count,
  workloads_number: count,
  nodesDistribution: Upstream.maybe(counts)
})

const read = (status: string) => Upstream.json(`https://gridproxy.grid.tf/stats?status=${status}`, Stats)

export default Plugin.define({
  id: "threefold",
  title: "ThreeFold grid",
  covers: { networks: ["TFT"] },
  source: "threefold_gridproxy",
  tier: "supply_telemetry",
  hosts: ["gridproxy.grid.tf"],
  every: "15 minutes",
  calls: 2,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "threefoldtech/tfgrid-sdk-go@10e7b39086e44923901106554718dfd05739ffae grid-proxy/internal/explorer/db/postgres.go:167":
      "Nodes, NodesDistribution, Farms, GPUs, Contracts, WorkloadsNumber, total_cru",
    "threefoldtech/tfgrid-sdk-go@10e7b39086e44923901106554718dfd05739ffae grid-proxy/pkg/types/stats.go:4":
      "nodes, nodesDistribution, farms, gpus, contracts, workloads_number, totalCru, totalSru, totalHru, totalMru",
    "threefoldtech/tfgrid-sdk-go@10e7b39086e44923901106554718dfd05739ffae grid-proxy/pkg/nodestatus/nodestatus.go:27":
      "up, standby"
  }),
  metrics: {
    nodes_online: headline("count", "Nodes up and nodes on standby, which wake when they are asked for."),
    nodes_up: breakdown("count", "Nodes that are switched on and reported within the last 80 minutes."),
    nodes_standby: mayDropToZero(
      "count",
      "Nodes that are switched off to save power, or on their way there or back, and reported within the last day.",
      { role: "breakdown" }
    ),
    farms: capacity("count", "All farms of the grid, with nodes or without."),
    cpu_cores: capacity("cores", "Virtual cores of the nodes up."),
    memory_bytes: capacity("bytes", "Memory of the nodes up."),
    storage_ssd_bytes: capacity("bytes", "SSD storage of the nodes up."),
    storage_hdd_bytes: capacity("bytes", "Hard disk storage of the nodes up."),
    nodes_with_gpu: breakdown("count", "Nodes up that have a GPU, whatever the number of its cards."),
    contracts_total: metric(
      "count",
      "Contracts ever made for nodes, rents and names, those that ended included."
    ),
    workloads: metric(
      "count",
      "Workloads on the nodes up, as each node counted its own when it was last read."
    ),
    ...countryMetrics("Nodes up")
  },
  ended: {
    registered_gpu_count:
      "It counted nodes that have a GPU, which is nodes_with_gpu now; threefold-gpus counts the cards.",
    active_contracts: "It counted contracts in every state since the start, which is contracts_total now."
  },
  relations: [
    // Nodes up and on standby are two answers, and the total is made of both: one that fails is none of the other's.
    sumOf("nodes_online", ["nodes_up", "nodes_standby"], {
      optional: ["nodes_online", "nodes_up", "nodes_standby"]
    }),
    sumOf("nodes_up", ["nodes_country_*"], { words: ["BE"] }),
    partOf("nodes_with_gpu", "nodes_up"),
    neverFalls("contracts_total")
  ],
  terms: termsOn("2026-11-25", "Data: ThreeFold grid proxy, gridproxy.grid.tf", {
    address:
      "https://git.ourworld.tf/tfgrid/info_tfgrid/raw/commit/97854b5b8ff343ddcd91173df8eccabb91bd1aac/collections/manual_legal/disclaimer.md"
  }),
  collect: (observe) =>
    Effect.gen(function* () {
      const up = yield* read("up")
      const stats = up.body
      const readings = observe(up, {
        nodes_up: stats.nodes,
        farms: stats.farms,
        cpu_cores: stats.totalCru,
        memory_bytes: stats.totalMru,
        storage_ssd_bytes: stats.totalSru,
        storage_hdd_bytes: stats.totalHru,
        nodes_with_gpu: stats.gpus,
        contracts_total: stats.contracts,
        workloads: stats.workloads_number,
        ...byCountry(Object.entries(stats.nodesDistribution ?? {}))
      })
      const standby = Effect.map(read("standby"), (answer) =>
        observe(answer, {
          nodes_standby: answer.body.nodes,
          nodes_online: sum([stats.nodes, answer.body.nodes])
        })
      )
      return [...readings, ...(yield* Plugin.optional("TFT", standby))]
    })
})
