import { neverFalls, partOf, termsOn } from "#plugin"
import { declare, tableOf } from "#plugin/declare"
import { metrics } from "./metrics.ts"
import { services } from "./services.ts"

export default declare({
  id: "network-services",
  title: "Services that networks run themselves",
  ...tableOf(services),
  source: "network_service",
  tier: "supply_telemetry",
  every: "3 hours",
  timeout: "5 minutes",
  calls: 40,
  grade: "B",
  terms: termsOn("2026-11-25", "Data: the network's own service, whose address each value names"),
  metrics,
  ended: {
    gpu_available:
      "It was of Spheron alone, whose offers no public source names: what its members count could not be read."
  },
  relations: [
    // Some of the networks give a part and no whole.
    partOf("nodes_online", "nodes_known", { optional: ["nodes_known"] }),
    partOf(["nodes_online", "hosts_inactive"], "hosts_registered", { optional: ["hosts_registered"] }),
    partOf("gpu_in_use", "gpus_online"),
    partOf("gpu_servers_rented", "gpu_servers"),
    partOf("workers_online", "workers_total"),
    partOf("validators_active", "validators_total", { optional: ["validators_total"] }),
    partOf("storage_encoded_bytes", "storage_capacity_encoded_bytes"),
    neverFalls("block_height"),
    neverFalls("network_jobs_total"),
    neverFalls("network_revenue_total"),
    neverFalls("earned_total"),
    neverFalls("earned_total_usd"),
    neverFalls("paid_out_total"),
    neverFalls("benchmark_jobs_total")
  ]
})
