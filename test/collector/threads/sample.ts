/** What the made-up plugins have in common. */
export const sample = {
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: ["api.sample.test"],
  every: "1 hour",
  metrics: { nodes: { unit: "count", meaning: "Nodes." } },
  grade: "A",
  owner: "plumbline"
} as const
