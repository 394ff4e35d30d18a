import { Schema } from "effect"
import { fromBaseUnits, headline, metric, Plugin, Upstream } from "#plugin"
import { amount, count, text } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const api = "https://explorer-api.thetatoken.org/api/stake/totalAmount"

const Stake = Schema.Struct({ totalAmount: amount, totalNodes: count, type: text })

export default Plugin.define({
  id: "theta",
  title: "Theta stakes",
  covers: { networks: ["THETA", "TFUEL"] },
  source: "theta_explorer",
  tier: "supply_telemetry",
  hosts: ["explorer-api.thetatoken.org"],
  every: "1 hour",
  calls: 2,
  grade: "A",
  evidence: [
    { source: "the explorer's API documentation and stored clients", read: "2026-11-20", members: [] }
  ],
  metrics: {
    staked_nodes: headline(
      "count",
      "Nodes that hold a stake; some versions of the explorer count by holder."
    ),
    staked_amount: metric("tokens", "Tokens staked to nodes.")
  },
  collect: (observe) =>
    Plugin.anyOf(
      "*",
      ["THETA", "TFUEL"].map((symbol) =>
        Plugin.from(
          observe,
          // Clients find the figures under `body`, the documentation shows them bare.
          wrapped(`${api}?type=${symbol.toLowerCase()}`, ["body"], Stake),
          { symbol },
          ({ totalAmount, totalNodes, type }, answer) =>
            // Old versions of the explorer know one token, and do not say which.
            (type ?? symbol.toLowerCase()) === symbol.toLowerCase()
              ? { staked_nodes: totalNodes, staked_amount: fromBaseUnits(totalAmount, 18) }
              : Upstream.implausible(answer, `["type"]`, `${type} instead of ${symbol.toLowerCase()}`)
        )
      )
    )
})
