import { Effect } from "effect"
import { atMost, capacity, headline, Plugin, Upstream } from "#plugin"
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
  evidence: [
    {
      source:
        "JakeAndersonWistCap/Crypto-Tracker@be40277a5696e5a5f86e3312c953a23655509af2 fetch/aethir_pages.py",
      read: "2026-11-25",
      members: ["nodes", "locations"]
    }
  ],
  metrics: {
    devices_total: headline("count", "GPU containers that the operator's dashboard states; not single GPUs."),
    countries: capacity("count", "Countries that have such containers.", { max: 250 })
  },
  relations: [atMost("countries", "devices_total")],
  terms: {
    address: "https://docs.aethir.com/terms-of-service/aethir-general-terms-of-service",
    read: "2026-11-25",
    licence: "proprietary",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: Aethir, dashboard.aethir.com"
  },
  collect: (observe) =>
    Effect.flatMap(Upstream.text(url), (page) =>
      Plugin.anyOf("ATH", [
        Plugin.from(observe, positiveIn(page, "nodes"), (devices_total) => ({ devices_total })),
        Plugin.from(observe, positiveIn(page, "locations"), (countries) => ({ countries }))
      ])
    )
})
