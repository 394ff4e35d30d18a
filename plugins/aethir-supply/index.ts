import { Effect } from "effect"
import { capacity, headline, Plugin, Upstream } from "#plugin"
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
        "two clients of 2026 that read the page, with the labels of its tiles and a recorded fragment of its data (stored files 70885299732, 56116988445)",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    devices_total: headline("count", "GPU containers that the operator's dashboard states; not single GPUs."),
    countries: capacity("count", "Countries that have such containers.")
  },
  collect: (observe) =>
    Effect.flatMap(Upstream.text(url), (page) =>
      Plugin.anyOf("ATH", [
        Plugin.from(observe, positiveIn(page, "nodes"), (devices_total) => ({ devices_total })),
        Plugin.from(observe, positiveIn(page, "locations"), (countries) => ({ countries }))
      ])
    )
})
