import { Effect } from "effect"
import { neverFalls, Plugin, partOf, termsOn } from "#plugin"
import * as Figures from "#plugin/figures"
import { metrics, services } from "./services.ts"

export default Plugin.define({
  id: "network-services",
  title: "Services that networks run themselves",
  covers: { networks: [...new Set(services.map(({ symbol }) => symbol))] },
  source: "network_service",
  tier: "supply_telemetry",
  hosts: [
    ...new Set(
      services.flatMap(({ ask, others = [] }) =>
        [typeof ask === "string" ? ask : ask.url, ...others].map((address) => new URL(address).host)
      )
    )
  ],
  every: "3 hours",
  timeout: "5 minutes",
  calls: 40,
  grade: "B",
  evidence: services.flatMap(({ evidence }) => evidence),
  terms: termsOn("2026-11-25", "Data: the network's own service, whose address each value names"),
  metrics,
  ended: {
    gpu_available:
      "It was of Spheron alone, whose offers no public source names: what its members count could not be read."
  },
  relations: [
    partOf("nodes_online", "nodes_known"),
    partOf(["nodes_online", "hosts_inactive"], "hosts_registered"),
    partOf("gpu_in_use", "gpus_online"),
    partOf("gpu_servers_rented", "gpu_servers"),
    partOf("workers_online", "workers_total"),
    partOf("validators_active", "validators_total"),
    partOf("storage_encoded_bytes", "storage_capacity_encoded_bytes"),
    neverFalls("block_height"),
    neverFalls("network_jobs_total"),
    neverFalls("network_revenue_total"),
    neverFalls("benchmark_jobs_total")
  ],
  collect: (observe) =>
    Plugin.forEach(services, (service) =>
      Effect.map(Figures.read(service), ({ answer, as_of, values }) =>
        observe(answer, values, { symbol: service.symbol, as_of, verify_url: service.page })
      )
    )
})
