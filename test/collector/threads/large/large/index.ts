import { BroadcastChannel } from "node:worker_threads"
import { Effect, Schema } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../../core/plugin/Upstream.ts"
import { sample } from "../../sample.ts"

const Nodes = Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String, online: Schema.Boolean }))

/** Decodes a large payload and says, in a channel, when it starts to and when it has. */
export default Plugin.define({
  ...sample,
  id: "large",
  source: "large",
  title: "Large",
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.text("https://api.sample.test/large")
      const channel = new BroadcastChannel("large")
      channel.postMessage("decoding")
      const nodes = yield* Upstream.parseJson("https://api.sample.test/large", Nodes, answer.body)
      channel.postMessage("decoded")
      channel.close()
      return observe(answer, { nodes: nodes.length })
    })
})
