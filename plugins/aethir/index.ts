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
        "JakeAndersonWistCap/Crypto-Tracker@be40277a5696e5a5f86e3312c953a23655509af2 fetch/aethir_pages.py",
      read: "2026-11-25",
      members: ["arr"]
    }
  ],
  metrics: {
    arr_usd: metric(
      "usd",
      "Annual recurring revenue as the operator's dashboard states it: twelve times the newest whole month."
    )
  },
  terms: {
    address: "https://docs.aethir.com/terms-of-service/aethir-general-terms-of-service",
    read: "2026-11-25",
    licence: "proprietary",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: Aethir, dashboard.aethir.com"
  },
  collect: (observe) =>
    Upstream.text("https://dashboard.aethir.com/protocol/demand-metric").pipe(
      Effect.flatMap((page) => positiveIn(page, "arr")),
      Effect.map((answer) => observe(answer, { arr_usd: answer.body }))
    )
})
