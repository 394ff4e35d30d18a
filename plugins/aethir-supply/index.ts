import { Effect } from "effect"
import { atMost, capacity, headline, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { positiveIn } from "#plugin/page"

const url = "https://dashboard.aethir.com/protocol/supply-metric"

export default Plugin.define({
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
  collect: (observe) =>
    Effect.flatMap(Upstream.text(url), (page) =>
      Plugin.anyOf("ATH", [
        Plugin.from(observe, positiveIn(page, "nodes"), (devices_total) => ({ devices_total })),
        Plugin.from(observe, positiveIn(page, "locations"), (countries) => ({ countries }))
      ])
    )
})
