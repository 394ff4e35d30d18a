import { Effect } from "effect"
import { metric, Plugin } from "#plugin"
import { figureOn } from "#plugin/page"

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
  evidence: { source: "notes of a stored client on the page's server-rendered payload", read: "2026-11-20" },
  metrics: {
    arr_usd: metric("usd", "Annual recurring revenue as the operator's dashboard states it.")
  },
  collect: (observe) =>
    Effect.map(figureOn("https://dashboard.aethir.com/protocol/demand-metric", "arr"), (answer) =>
      observe(answer, { arr_usd: answer.body })
    )
})
