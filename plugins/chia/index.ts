import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, moment, quantity } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const State = Schema.Struct({
  success: Upstream.maybe(Schema.Boolean),
  error: Upstream.maybe(Schema.String),
  blockchain_state: Upstream.maybe(
    Schema.Struct({
      space: quantity,
      peak: Upstream.maybe(Schema.Struct({ height: count, timestamp: moment })),
      sync: Upstream.maybe(Schema.Struct({ synced: Upstream.maybe(Schema.Boolean) }))
    })
  )
})

export default Plugin.define({
  id: "chia",
  title: "Chia netspace",
  covers: { networks: ["XCH"] },
  tier: "supply_telemetry",
  source: "coinset_rpc",
  hosts: ["api.coinset.org"],
  every: "15 minutes",
  grade: "B",
  owner: "plumbline",
  metrics: {
    network_space: metric("bytes", "Estimated space that farms the chain."),
    block_height: metric("block", "Height of the peak.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        Upstream.post("https://api.coinset.org/get_blockchain_state", {}),
        State
      )
      const { blockchain_state: state, error, success } = answer.body
      if (success === false) return yield* Upstream.refused(answer, error ?? "success is false")
      if (state?.sync?.synced === false) return yield* Upstream.refused(answer, "the node is not synced")
      const { timestamp } = state?.peak ?? {}
      return observe(
        answer,
        { network_space: state?.space, block_height: state?.peak?.height },
        {
          verify_url: "https://www.coinset.org",
          as_of: timestamp
        }
      )
    })
})
