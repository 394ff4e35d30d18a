import { Effect, Schema } from "effect"
import { capacity, fromBaseUnits, headline, metric, Plugin, parameter, Upstream } from "#plugin"
import { Quantity, Word } from "#plugin/evm"
import { networks } from "./contracts.ts"

const Block = Schema.Struct({ timestamp: Quantity })

/** Nodes of Arbitrum One are asked at another path than those of the others. */
const urlOf = (node: string) => (node === "arb1.arbitrum.io" ? `https://${node}/rpc` : `https://${node}/`)

export default Plugin.define({
  id: "evm-registries",
  title: "Registries and stakes on EVM chains",
  covers: { networks: networks.map(({ symbol }) => symbol) },
  source: "evm_rpc",
  tier: "supply_telemetry",
  hosts: [...new Set(networks.map(({ node }) => node))],
  every: "6 hours",
  calls: 6,
  grade: "A",
  evidence: [
    {
      source: "the operators' contracts, each with its commit in the README",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    nodes_online: headline(
      "count",
      "Nodes that the registry holds active or leaving; no contract pings them."
    ),
    nodes_registered_total: metric("count", "Nodes that were ever registered."),
    chains_total: capacity("count", "Chains that run on the nodes."),
    validators_registered: capacity("count", "Validators that are registered."),
    staked_amount: headline(
      "tokens",
      "Tokens that the staking contract of the network holds, those in thawing among them."
    ),
    projects_total: capacity("count", "Projects that were ever registered."),
    epoch: parameter("count", "Epoch or era of the protocol.")
  },
  collect: (observe) =>
    Plugin.forEach(
      networks,
      Effect.fnUntraced(function* ({ figures, node, page, symbol }) {
        const block = { method: "eth_getBlockByNumber", params: ["latest", false], result: Block }
        const calls = figures.map(({ contract, data }) => ({
          method: "eth_call",
          params: [{ to: contract, data }, "latest"],
          result: Word
        }))
        const answer = yield* Upstream.rpc(urlOf(node), [block, ...calls])
        const [{ timestamp }, ...words] = answer.body
        const facts = { symbol, as_of: Number(timestamp) * 1000, verify_url: page }
        return figures.flatMap(({ decimals, metric }, n) => {
          const value = BigInt(words[n] ?? "")
          // The registry counts from 1, and tells the id that is next.
          const count = metric === "projects_total" ? Number(value) - 1 : Number(value)
          const reading = decimals === undefined ? count : fromBaseUnits(value, decimals)
          return observe(answer, { [metric]: reading }, facts)
        })
      })
    )
})
