import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { amount, count } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import { wrapped } from "../../core/plugin/shapes/wrapped.ts"
import { fromBaseUnits } from "../../core/plugin/Value.ts"

const Stake = Schema.Struct({ totalAmount: amount, totalNodes: count })

export default Plugin.define({
  id: "theta",
  title: "Theta stakes",
  covers: { networks: ["THETA", "TFUEL"] },
  tier: "supply_telemetry",
  source: "theta_explorer",
  hosts: ["explorer-api.thetatoken.org"],
  every: "1 hour",
  calls: 2,
  grade: "A",
  owner: "plumbline",
  metrics: {
    staked_nodes: metric("count", "Nodes that hold a stake; some versions of the explorer count by holder."),
    staked_amount: metric("tokens", "Tokens staked to nodes.")
  },
  collect: (observe) =>
    Plugin.anyOf(
      "*",
      ["THETA", "TFUEL"].map((symbol) =>
        Effect.gen(function* () {
          const url = `https://explorer-api.thetatoken.org/api/stake/totalAmount?type=${symbol.toLowerCase()}`
          // Clients find the figures under `body`, the documentation shows them bare.
          const answer = yield* wrapped(url, ["body"], Stake)
          const { totalAmount, totalNodes } = answer.body
          return observe(
            answer,
            { staked_nodes: totalNodes, staked_amount: fromBaseUnits(totalAmount, 18) },
            { symbol }
          )
        })
      )
    )
})
