import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"

export default Plugin.define({
  id: "hungry",
  title: "Hungry",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: [],
  every: "1 minute",
  metrics: {},
  grade: "A",
  owner: "plumbline",
  collect: () =>
    Effect.sync(() => {
      const kept: Array<ReadonlyArray<number>> = []
      while (kept.length < 1e9) kept.push(Array.from({ length: 1000 }, Math.random))
      return []
    })
})
