import { readOn, termsOn } from "#plugin"
import { countryMetrics } from "#plugin/countries"
import { declare } from "#plugin/declare"

const read = "2026-11-25"

export default declare({
  id: "flux-places",
  title: "Flux nodes by country",
  covers: { networks: ["FLUX"] },
  source: "flux_stats",
  tier: "supply_telemetry",
  hosts: ["stats.runonflux.io"],
  every: "6 hours",
  grade: "A",
  evidence: readOn(read, {
    "RunOnFlux/fluxstats@1d69cdf src/services/fluxService.js:488":
      "ip, error, roundTime, geolocation, countryCode",
    "RunOnFlux/fluxstats@1d69cdf src/services/fluxService.js:952": "projection, status, data"
  }),
  terms: termsOn(read, "Data: Flux, stats.runonflux.io"),
  metrics: countryMetrics("Nodes that the network's statistics reached"),
  answers: [
    {
      ask: "https://stats.runonflux.io/fluxinfo?projection=ip,error,roundTime,geolocation",
      must: [{ at: "status", be: "success", ifTold: true }],
      // When the round began: it lasts an hour or so, and stands until the next one is complete.
      as_of: { latest: "data", at: "roundTime" },
      figures: {
        "nodes_country_*": {
          countries: "data",
          code: ["geolocation.countryCode"],
          by: "ip",
          // A node that could not be reached has one.
          where: { at: "error", none: true },
          mostly: true
        }
      }
    }
  ]
})
