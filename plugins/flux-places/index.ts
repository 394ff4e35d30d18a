import { Effect, Schema } from "effect"
import { Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { textAt } from "#plugin/fields"

const url = "https://stats.runonflux.io/fluxinfo?projection=geolocation"

export default Plugin.define({
  id: "flux-places",
  title: "Flux nodes by country",
  covers: { networks: ["FLUX"] },
  source: "flux_stats",
  hosts: ["stats.runonflux.io"],
  every: "6 hours",
  grade: "B",
  metrics: countryMetrics("Nodes that the network's statistics reached"),
  collect: (observe) =>
    Effect.gen(function* () {
      const envelope = Schema.Struct({ status: Schema.String, data: Schema.Unknown })
      const answer = yield* Upstream.json(url, envelope)
      if (answer.body.status !== "success") return yield* Upstream.refused(answer, answer.body.status)
      const nodes = yield* Upstream.decode(url, Schema.Array(Schema.Unknown), answer.body.data)
      if (nodes.length === 0) return yield* Upstream.implausible(answer, `["data"]`, "no node listed")
      return observe(answer, byCountry(nodes.map((node) => [textAt(node, "geolocation", "countryCode"), 1])))
    })
})
