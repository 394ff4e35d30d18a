/** What the made-up plugins have in common. Each has a source of its own: a series has one writer. */
export const sample = {
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  hosts: ["api.sample.test"],
  every: "1 hour",
  metrics: { nodes: { unit: "count", meaning: "Nodes." } },
  grade: "A",
  owner: "plumbline"
} as const
