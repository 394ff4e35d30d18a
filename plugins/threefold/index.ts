import { Effect, Schema } from "effect"
import { breakdown, capacity, headline, mayDropToZero, metric, Plugin, Upstream } from "#plugin"
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
  grade: "B",
  evidence: [
    {
      source: "stored clients of the grid proxy and the operator's statistics page",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    nodes_online: headline("count", "Nodes up and nodes on standby, which wake when they are asked for."),
    nodes_up: breakdown("count", "Nodes up."),
    nodes_standby: mayDropToZero("count", "Nodes on standby.", { role: "breakdown" }),
    farms: capacity("count", "Farms with a node that is up."),
    cpu_cores: capacity("cores", "Virtual cores of the nodes up."),
    memory_bytes: capacity("bytes", "Memory of the nodes up."),
    storage_ssd_bytes: capacity("bytes", "SSD storage of the nodes up."),
    storage_hdd_bytes: capacity("bytes", "Hard disk storage of the nodes up."),
    registered_gpu_count: capacity("count", "GPUs of the nodes up."),
    active_contracts: metric("count", "Contracts."),
    ...countryMetrics("Nodes up")
  },
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
        registered_gpu_count: stats.gpus,
        active_contracts: stats.contracts,
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
