import { metric, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"
import { figuresOn } from "#plugin/page"

export default declare({
  id: "aethir",
  title: "Aethir recurring revenue",
  covers: { networks: ["ATH"] },
  tier: "fees_tvl",
  source: "aethir_dashboard",
  hosts: ["dashboard.aethir.com"],
  every: "1 day",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "JakeAndersonWistCap/Crypto-Tracker@be40277a5696e5a5f86e3312c953a23655509af2 fetch/aethir_pages.py": "arr"
  }),
  metrics: {
    arr_usd: metric(
      "usd",
      "Annual recurring revenue as the operator's dashboard states it: twelve times the newest whole month."
    )
  },
  terms: termsOn("2026-11-25", "Data: Aethir, dashboard.aethir.com", {
    address: "https://docs.aethir.com/terms-of-service/aethir-general-terms-of-service",
    licence: "proprietary"
  }),
  answers: [
    {
      ask: figuresOn("https://dashboard.aethir.com/protocol/demand-metric", ["arr"]),
      figures: { arr_usd: { number: "arr", decimals: 0 } }
    }
  ]
})
