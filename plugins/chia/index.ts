import { Effect, Schema } from "effect"
import { headline, metric, neverFalls, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { count, moment, object, quantity } from "#plugin/fields"

const api = "https://api.coinset.org"
const request = Upstream.post(`${api}/get_blockchain_state`, {})
const read = "2026-11-25"
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
  evidence: readOn(read, {
    "Chia-Network/chia-blockchain@d61ed07 chia/full_node/full_node_rpc_api.py:173":
      "blockchain_state, peak, height, sync, synced, space",
    "Chia-Network/chia-blockchain@d61ed07 chia/full_node/full_node_rpc_api.py:635": "space",
    "coinset-org/cli@d30ef22 SKILL.md": "get_blockchain_state, blockchain_state, peak, height"
  }),
  terms: termsOn(read, "Data: Chia, read at coinset.org"),
  // Only a transaction block has a time.
  orHeaders: true,
  metrics: {
    network_space: headline(
      "bytes",
      "Estimated size of the plots that farm the chain, from its weight over the last 4,608 blocks, about a day; plots of the second format are not told apart.",
      // A thousand exbibytes and less have been farmed.
      { max: 1e21 }
    ),
    block_height: metric("block", "Height of the peak.")
  },
  relations: [neverFalls("block_height")],
  canaries: [
    {
      request: Upstream.post(`${api}/get_block_record_by_height`, { height: 0 }),
      path: ["block_record", "header_hash"],
      is: "0xd780d22c7a87c9e01d98b49a0910f6701c3b95015741316b3fda042e5d7b81d2",
      why: "The hash of the first block, which every later block builds on."
    }
  ],
  collect: (observe) =>
    Plugin.from(observe, state, { as_of: (it) => it.blockchain_state?.peak?.timestamp }, (body, answer) => {
      const { blockchain_state: state, digits, error, success } = body
      if (success === false) return Upstream.refused(answer, error ?? "success is false")
      if (state?.sync?.synced === false) return Upstream.refused(answer, "the node is not synced")
      return { network_space: digits ?? state?.space, block_height: state?.peak?.height }
    })
})
