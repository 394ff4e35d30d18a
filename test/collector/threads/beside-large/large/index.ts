import { BroadcastChannel } from "node:worker_threads"
import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../../core/plugin/Upstream.ts"
import { sample } from "../../sample.ts"

/** Reads a large body, and holds its thread until the gate that it sends is opened. */
export default Plugin.define({
  ...sample,
  id: "large",
  source: "large",
  title: "Large",
  collect: (observe) =>
    Effect.gen(function* () {
      const channel = new BroadcastChannel("beside-large")
      const answer = yield* Upstream.bytes("https://api.sample.test/large")
      const gate = new Int32Array(new SharedArrayBuffer(4))
      channel.postMessage(gate)
      Atomics.wait(gate, 0, 0)
      channel.close()
      return observe(answer, { nodes: answer.body.length })
    })
})
