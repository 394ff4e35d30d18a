import { Effect, Schema } from "effect"
import { headline, Plugin, Upstream } from "#plugin"
import { count, positive } from "#plugin/fields"

// The United States have never been without a single alert.
const Counts = Schema.Struct({ total: positive, land: count, marine: count })

export default Plugin.define({
  id: "nws-alerts",
  title: "Weather alerts of the United States",
  covers: {
    sector: "PHYSICAL_WEATHER_ALERT",
    symbols: ["US_ALERTS", "US_ALERTS_LAND", "US_ALERTS_MARINE"],
    gauges: ["weather_alerts_active"]
  },
  tier: "physical",
  source: "nws_alerts_count",
  hosts: ["api.weather.gov"],
  every: "10 minutes",
  grade: "B",
  evidence: [
    {
      source: "WxBDM/nwsapy@ac6ecda3 nwsapy/services/set_data.py:267",
      read: "2026-11-25",
      members: ["total", "land", "marine"]
    },
    { source: "weather-gov/api@6752f1b9 general-faqs.md", read: "2026-11-25", members: ["Last-Modified"] }
  ],
  terms: {
    address: "https://www.weather.gov/disclaimer/",
    read: "2026-11-25",
    licence: "LicenseRef-US-Public-Domain",
    bodies: "yes",
    values: "yes",
    attribution: "Data: National Weather Service, weather.gov",
    quote:
      "The information on National Weather Service (NWS) Web pages are in the public domain, unless specifically noted otherwise, and may be used without charge for any lawful purpose"
  },
  metrics: {
    weather_alerts_active: headline(
      "count",
      "Active watches, warnings and advisories of the National Weather Service of the United States. The parts are those for land and those for the sea.",
      { collapse: 1 }
    )
  },
  collect: (observe) =>
    Effect.map(Upstream.json("https://api.weather.gov/alerts/active/count", Counts), (answer) =>
      (
        [
          ["US_ALERTS", answer.body.total],
          ["US_ALERTS_LAND", answer.body.land],
          ["US_ALERTS_MARINE", answer.body.marine]
        ] as const
      ).flatMap(([symbol, weather_alerts_active]) =>
        observe(
          answer,
          { weather_alerts_active },
          { symbol, as_of: answer.lastModified, verify_url: "https://www.weather.gov/alerts" }
        )
      )
    )
})
