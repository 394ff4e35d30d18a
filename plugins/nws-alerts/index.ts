import { everyUse, headline, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"

export default declare({
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
  evidence: readOn("2026-11-25", {
    "WxBDM/nwsapy@ac6ecda3 nwsapy/services/set_data.py:267": "total, land, marine",
    "weather-gov/api@6752f1b9 general-faqs.md": "Last-Modified"
  }),
  terms: termsOn("2026-11-25", "Data: National Weather Service, weather.gov", {
    address: "https://www.weather.gov/disclaimer/",
    licence: "LicenseRef-US-Public-Domain",
    ...everyUse,
    quote:
      "The information on National Weather Service (NWS) Web pages are in the public domain, unless specifically noted otherwise, and may be used without charge for any lawful purpose"
  }),
  metrics: {
    weather_alerts_active: headline(
      "count",
      "Active watches, warnings and advisories of the National Weather Service of the United States. The parts are those for land and those for the sea.",
      { collapse: 1 }
    )
  },
  answers: [
    {
      ask: "https://api.weather.gov/alerts/active/count",
      // The United States have never been without a single alert.
      positive: ["total"],
      verify_url: "https://www.weather.gov/alerts",
      symbol: "US_ALERTS",
      figures: { weather_alerts_active: "total" },
      parts: {
        US_ALERTS_LAND: { weather_alerts_active: "land" },
        US_ALERTS_MARINE: { weather_alerts_active: "marine" }
      }
    }
  ]
})
