import { Effect } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

export default Plugin.define({
  id: "aethir",
  title: "Aethir recurring revenue",
  covers: { networks: ["ATH"] },
  tier: "fees_tvl",
  source: "aethir_dashboard",
  hosts: ["dashboard.aethir.com"],
  disabled: "read out of a web page, and the operator publishes no formula for the figure",
  every: "1 day",
  grade: "C",
  owner: "plumbline",
  metrics: {
    arr_usd: metric("usd", "Annual recurring revenue as the operator's dashboard states it.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.text("https://dashboard.aethir.com/protocol/demand-metric")
      // The page carries its data as JSON, quoted once more inside a script.
      const found = /\\?"arr\\?"\s*:\s*(null|\d+(?:\.\d+)?(?:[eE]\+?\d+)?)\s*[,}]/.exec(answer.body)?.[1]
      if (found === undefined) return yield* Upstream.implausible(answer, `"arr"`, "not in the page")
      return observe(answer, { arr_usd: found === "null" ? null : found })
    })
})
