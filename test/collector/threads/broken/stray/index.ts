import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"

/** Leaves a timer and a promise behind that fail when nobody looks. */
export default Plugin.define({
  id: "stray",
  title: "Stray",
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
      setTimeout(() => {
        throw new Error("from a timer")
      }, 1)
      void Promise.reject(new Error("from a promise"))
      return []
    })
})
