import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { amount, count } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
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
          const answer = yield* Upstream.json(url, Schema.Record(Schema.String, Schema.Unknown))
          // Clients find the figures under `body`, the documentation shows them bare.
          const stake = yield* Upstream.decode(url, Stake, answer.body["body"] ?? answer.body)
          return observe(
            answer,
            { staked_nodes: stake.totalNodes, staked_amount: fromBaseUnits(stake.totalAmount, 18) },
            { symbol }
          )
        })
      )
    )
})
