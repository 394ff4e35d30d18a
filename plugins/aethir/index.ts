import { Effect } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { positiveIn } from "#plugin/page"

export default Plugin.define({
  id: "aethir",
  title: "Aethir recurring revenue",
  covers: { networks: ["ATH"] },
  tier: "fees_tvl",
  source: "aethir_dashboard",
  hosts: ["dashboard.aethir.com"],
  every: "1 day",
  grade: "B",
  evidence: [
    {
      source:
        "two clients of 2026 that read the page, with the label of the tile (stored files 70885299732, 56116988445), and what one of them found the figure to be (stored file 70872169946)",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    arr_usd: metric(
      "usd",
      "Annual recurring revenue as the operator's dashboard states it: twelve times the newest whole month."
    )
  },
  collect: (observe) =>
    Upstream.text("https://dashboard.aethir.com/protocol/demand-metric").pipe(
      Effect.flatMap((page) => positiveIn(page, "arr")),
      Effect.map((answer) => observe(answer, { arr_usd: answer.body }))
    )
})
