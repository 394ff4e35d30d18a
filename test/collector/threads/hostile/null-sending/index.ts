import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import { sample } from "../../sample.ts"

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
  ...sample,
  id: "null-sending",
  source: "null-sending",
  title: "Null-sending",
  every: "100 millis",
  collect: () =>
    Effect.sync(() => {
      for (const message of messages) parentPort?.postMessage(message)
      parentPort?.emit("message", null)
      return []
    })
})
