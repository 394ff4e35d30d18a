import { capacity, flow, headline, mayDropToZero, partOf, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"

const api = "https://api2.stats.golem.network"

export default declare({
  id: "golem",
  title: "Golem providers",
  covers: { networks: ["GLM"] },
  source: "golem_stats_v2",
  tier: "supply_telemetry",
  hosts: ["api2.stats.golem.network"],
  every: "15 minutes",
  calls: 3,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "golemfactory/golem-stats-backend@a131751 stats-backend/api2/tasks.py:1014":
      "providers, cores, memory, storage, gpus",
    "golemfactory/golem-stats-backend@a131751 stats-backend/collector/tasks.py:638": "computing_now",
    "golemfactory/golem-stats-backend@a131751bbec187342de2ebe3e4f9d90e07a7c9fd stats-backend/collector/tasks.py:595":
      "network_earnings_24h, total_earnings"
  }),
  // Counted every minute and every ten seconds, and read a moment apart.
  relations: [partOf("nodes_computing", "nodes_online", { tolerance: 0.1 })],
  terms: termsOn("2026-11-25", "Data: Golem Network, https://stats.golem.network"),
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
    earned_24h: flow(
      "tokens",
      "GLM that requestors paid to providers on Polygon in the last 24 hours.",
      {
        rung: "chain_indexed",
        at: "network_earnings_24h.total_earnings of https://api2.stats.golem.network/v1/network/earnings/overviewnew: transfers of GLM on Polygon whose sender the index knows as a requestor",
        formula: "network_earnings_24h.total_earnings",
        without:
          "Work that is agreed and not paid yet, and payments of requestors that the index has never met. In it besides work: whatever else such a sender transfers.",
        code: "golemfactory/golem-stats-backend@a131751bbec187342de2ebe3e4f9d90e07a7c9fd stats-backend/api2/tasks.py:1383"
      },
      { collapse: 1 }
    ),
    nodes_computing: mayDropToZero(
      "count",
      "Providers online with an open activity or agreement, on the main network and the test networks."
    )
  },
  answers: [
    {
      ask: `${api}/v2/network/online/stats`,
      // A scan of the network that found nobody leaves zeros in every field.
      positive: ["providers"],
      figures: {
        nodes_online: "providers",
        cpu_threads: "cores",
        memory_gib: "memory",
        disk_gib: "storage",
        gpu_offers: "gpus"
      }
    },
    { ask: `${api}/v1/network/computing`, figures: { nodes_computing: "computing_now" } },
    {
      ask: `${api}/v1/network/earnings/overviewnew`,
      figures: { earned_24h: "network_earnings_24h.total_earnings" }
    }
  ]
})
