import process from "node:process"
import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"

export default Plugin.define({
  id: "exiting",
  title: "Exiting",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: [],
  every: "1 minute",
  metrics: {},
  grade: "A",
  owner: "plumbline",
  collect: () => Effect.sync(() => process.exit(0))
})
