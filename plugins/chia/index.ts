import { Effect, Schema } from "effect"
import { flow, headline, metric, neverFalls, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { combine, count, moment, object, quantity } from "#plugin/fields"

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

/** Blocks of a year, and the rewards of a block in XCH in each three years: `chia/consensus/block_rewards.py`. */
const blocksOfYear = 1_681_920
const rewards = [2, 1, 0.5, 0.25, 0.125] as const

/** XCH of the rewards of all blocks up to a height; that of block 0 is no reward. */
const rewardsUpTo = (height: number): number =>
  rewards.reduce((total, reward, n) => {
    const from = Math.max(1, 3 * n * blocksOfYear)
    const to = n === rewards.length - 1 ? height : Math.min(height, 3 * (n + 1) * blocksOfYear - 1)
    return total + Math.max(0, to - from + 1) * reward
  }, 0)

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
    "Chia-Network/chia-blockchain@ed83a024ca586648ca77cf7b0c6c42bfbdc4ad6d chia/consensus/block_rewards.py":
      "height",
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
    block_height: metric("block", "Height of the peak."),
    paid_out_total: flow(
      "tokens",
      "XCH that farmers and their pools were rewarded with for blocks since the start.",
      {
        rung: "chain_read",
        at: "blockchain_state.peak.height, as a node tells it by get_blockchain_state",
        formula:
          "the sum over the blocks 1 to height of 2 XCH below block 5,045,760, 1 below 10,091,520, 0.5 below 15,137,280, 0.25 below 20,183,040, and 0.125 from there on",
        without: "The 21,000,000 XCH of block 0, which are the company's, and the fees of transactions.",
        code: "Chia-Network/chia-blockchain@ed83a024ca586648ca77cf7b0c6c42bfbdc4ad6d chia/consensus/block_rewards.py",
        recomputed: "Block 6,515,821, from an answer of 19 January 2025: 11,561,580 XCH."
      }
    )
  },
  relations: [neverFalls("block_height"), neverFalls("paid_out_total")],
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
      const height = state?.peak?.height
      return {
        network_space: digits ?? state?.space,
        block_height: height,
        paid_out_total: combine([height], ([height]) => rewardsUpTo(height))
      }
    })
})
