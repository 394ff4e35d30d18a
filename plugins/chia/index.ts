import { Effect, Schema } from "effect"
import { headline, metric, Plugin, Upstream } from "#plugin"
import { count, moment, object, quantity } from "#plugin/fields"

const request = Upstream.post("https://api.coinset.org/get_blockchain_state", {})
const State = Schema.Struct({
  success: Upstream.maybe(Schema.Boolean),
  error: Upstream.maybe(Schema.String),
  blockchain_state: object({
    space: quantity,
    peak: object({ height: count, timestamp: moment }),
    sync: object({ synced: Upstream.maybe(Schema.Boolean) })
  })
})

/** The state, and all digits of its space: about 10^19, of which a double keeps the first sixteen. */
const state = Effect.gen(function* () {
  const answer = yield* Upstream.text(request)
  const body = yield* Upstream.parseJson(request, State, answer.body)
  return { ...answer, body: { ...body, digits: /"space"\s*:\s*(\d{16,})\s*[,}]/.exec(answer.body)?.[1] } }
})

export default Plugin.define({
  id: "chia",
  title: "Chia netspace",
  covers: { networks: ["XCH"] },
  source: "coinset_rpc",
  tier: "supply_telemetry",
  hosts: ["api.coinset.org"],
  every: "15 minutes",
  grade: "B",
  evidence: [
    { source: "stored clients of the full node RPC (get_blockchain_state)", read: "2026-11-20", members: [] }
  ],
  metrics: {
    network_space: headline("bytes", "Estimated space that farms the chain."),
    block_height: metric("block", "Height of the peak.")
  },
  collect: (observe) =>
    Plugin.from(observe, state, { as_of: (it) => it.blockchain_state?.peak?.timestamp }, (body, answer) => {
      const { blockchain_state: state, digits, error, success } = body
      if (success === false) return Upstream.refused(answer, error ?? "success is false")
      if (state?.sync?.synced === false) return Upstream.refused(answer, "the node is not synced")
      return { network_space: digits ?? state?.space, block_height: state?.peak?.height }
    })
})
