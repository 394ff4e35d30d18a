/** What is capacity and what is demand, network by network. */

export interface Compared {
  /** In words. */
  readonly what: string
  readonly capacity: string
  readonly demand: string
  /** Demand is a part of capacity in the same unit: a share of over 100 percent is an error of somebody's. */
  readonly part: boolean
}

const of = (what: string, capacity: string, demand: string, part: boolean): Compared => ({
  what,
  capacity,
  demand,
  part
})

/** Networks whose upstream gives both sides. */
export const compared: ReadonlyMap<string, ReadonlyArray<Compared>> = new Map([
  [
    "AKT",
    [
      of("CPU cores and those leased", "cpu_cores", "cpu_cores_in_use", true),
      of("memory and that leased", "memory_bytes", "memory_in_use_bytes", true),
      of("GPUs and those leased", "registered_gpu_count", "gpu_in_use", true)
    ]
  ],
  ["FIL", [of("storage power and that of deals", "RAW_BYTE_POWER", "QUALITY_ADJ_POWER", false)]],
  ["GLM", [of("nodes and those computing", "nodes_online", "nodes_computing", true)]],
  ["JKL", [of("storage bought and storage used", "STORAGE_PURCHASED_BYTES", "STORAGE_USED_BYTES", true)]],
  ["NOS", [of("nodes and jobs running", "nodes_online", "jobs_running", false)]],
  ["SC", [of("storage and that used", "STORAGE_TOTAL_BYTES", "STORAGE_USED_BYTES", true)]],
  [
    "STORJ",
    [of("storage and traffic to customers", "STORAGE_TOTAL_BYTES", "BANDWIDTH_DOWNLOADED_30D_BYTES", false)]
  ],
  ["TFT", [of("nodes and workloads", "nodes_up", "workloads", false)]],
  ["IO", [of("clusters and what they earned", "clusters_running", "earnings_24h_usd", false)]]
])

/** For all others: the first of these that is measured. */
export const genericCapacity = [
  "nodes_online",
  "nodes_announced",
  "relays_online",
  "TOTAL_NODES",
  "devices_total",
  "active_storage_providers",
  "active_orchestrators",
  "validators_active"
] as const

export const genericDemand = ["fees_7d_usd", "revenue_24h_usd", "fees_30d_usd"] as const
