import { atMost, capacity, headline, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"
import { figuresOn } from "#plugin/page"

export default declare({
  id: "aethir-supply",
  title: "Aethir GPU containers",
  covers: { networks: ["ATH"] },
  source: "aethir_dashboard_supply",
  tier: "supply_telemetry",
  hosts: ["dashboard.aethir.com"],
  every: "1 day",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "JakeAndersonWistCap/Crypto-Tracker@be40277a5696e5a5f86e3312c953a23655509af2 fetch/aethir_pages.py":
      "nodes, locations"
  }),
  metrics: {
    devices_total: headline("count", "GPU containers that the operator's dashboard states; not single GPUs."),
    countries: capacity("count", "Countries that have such containers.", { max: 250 })
  },
  relations: [atMost("countries", "devices_total")],
  terms: termsOn("2026-11-25", "Data: Aethir, dashboard.aethir.com", {
    address: "https://docs.aethir.com/terms-of-service/aethir-general-terms-of-service",
    licence: "proprietary"
  }),
  answers: [
    {
      ask: figuresOn("https://dashboard.aethir.com/protocol/supply-metric", ["nodes", "locations"]),
      figures: {
        devices_total: { number: "nodes", decimals: 0 },
        countries: { number: "locations", decimals: 0 }
      }
    }
  ]
})
