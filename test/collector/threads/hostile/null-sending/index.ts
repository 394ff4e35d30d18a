import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"

const messages: ReadonlyArray<unknown> = [
  null,
  undefined,
  7,
  "delivery",
  {},
  { type: "unheard of" },
  { type: "delivery", n: 0 },
  { type: "delivery", n: 0, delivery: { run: null, bodies: null } },
  { type: "state", state: null, runState: null },
  { type: "loaded", manifests: null, broken: [] },
  { type: "log", level: "Loud", message: {}, annotations: null }
]

export default Plugin.define({
  id: "null-sending",
  title: "Null-sending",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: [],
  every: "100 millis",
  metrics: {},
  grade: "A",
  owner: "plumbline",
  collect: () =>
    Effect.sync(() => {
      for (const message of messages) parentPort?.postMessage(message)
      parentPort?.emit("message", null)
      return []
    })
})
