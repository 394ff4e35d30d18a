import { Schema } from "effect"
import { capacity, headline, mayDropToZero, Plugin, partOf } from "#plugin"
import { count, positive, quantity } from "#plugin/fields"

const online = "https://api2.stats.golem.network/v2/network/online/stats"
const computing = "https://api2.stats.golem.network/v1/network/computing"
const Online = Schema.Struct({
  // A scan of the network that found nobody leaves zeros in every field.
  providers: positive,
  cores: quantity,
  memory: quantity,
  storage: quantity,
  gpus: count
})
const Computing = Schema.Struct({ computing_now: count })

export default Plugin.define({
  id: "golem",
  title: "Golem providers",
  covers: { networks: ["GLM"] },
  source: "golem_stats_v2",
  tier: "supply_telemetry",
  hosts: ["api2.stats.golem.network"],
  every: "15 minutes",
  calls: 2,
  grade: "A",
  evidence: [
    {
      source: "golemfactory/golem-stats-backend@a131751 stats-backend/api2/tasks.py:1014",
      read: "2026-11-25",
      members: ["providers", "cores", "memory", "storage", "gpus"]
    },
    {
      source: "golemfactory/golem-stats-backend@a131751 stats-backend/collector/tasks.py:638",
      read: "2026-11-25",
      members: ["computing_now"]
    }
  ],
  // Counted every minute and every ten seconds, and read a moment apart.
  relations: [partOf("nodes_computing", "nodes_online", { tolerance: 0.1 })],
  terms: {
    read: "2026-11-25",
    licence: "unknown",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: Golem Network, https://stats.golem.network"
  },
  metrics: {
    nodes_online: headline("count", "Providers online, on the main network and the test networks."),
    cpu_threads: capacity(
      "cores",
      "CPU threads of the providers online: of each, the most that one of its fresh offers has."
    ),
    memory_gib: capacity(
      "gib",
      "Memory of the providers online: of each, the most that one of its fresh offers has."
    ),
    disk_gib: capacity(
      "gib",
      "Disk of the providers online: of each, the most that one of its fresh offers has."
    ),
    gpu_offers: capacity("count", "Fresh offers of providers online that name a GPU.", { collapse: 1 }),
    nodes_computing: mayDropToZero(
      "count",
      "Providers online with an open activity or agreement, on the main network and the test networks."
    )
  },
  collect: (observe) =>
    Plugin.anyOf("GLM", [
      Plugin.one(observe, online, Online, ({ cores, gpus, memory, providers, storage }) => ({
        nodes_online: providers,
        cpu_threads: cores,
        memory_gib: memory,
        disk_gib: storage,
        gpu_offers: gpus
      })),
      Plugin.one(observe, computing, Computing, ({ computing_now }) => ({ nodes_computing: computing_now }))
    ])
})
