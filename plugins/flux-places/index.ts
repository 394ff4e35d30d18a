import { Schema } from "effect"
import { Plugin } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { dataOf } from "#plugin/envelope"
import { nonEmpty, textAt } from "#plugin/fields"

const url = "https://stats.runonflux.io/fluxinfo?projection=geolocation"

export default Plugin.define({
  id: "flux-places",
  title: "Flux nodes by country",
  covers: { networks: ["FLUX"] },
  source: "flux_stats",
  hosts: ["stats.runonflux.io"],
  every: "6 hours",
  grade: "B",
  evidence: {
    source: "the network's own front end (RunOnFlux/flux) and clients that read geolocation.countryCode",
    read: "2026-11-20"
  },
  metrics: countryMetrics("Nodes that the network's statistics reached"),
  collect: (observe) =>
    Plugin.from(observe, dataOf(url, ["status", "success"], nonEmpty(Schema.Unknown)), (nodes) =>
      byCountry(nodes.map((node) => [textAt(node, "geolocation", "countryCode"), 1]))
    )
})
