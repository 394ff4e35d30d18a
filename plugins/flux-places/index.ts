import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byCountry, countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { textAt } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const url = "https://stats.runonflux.io/fluxinfo?projection=geolocation"

export default Plugin.define({
  id: "flux-places",
  title: "Flux nodes by country",
  covers: { networks: ["FLUX"] },
  tier: "supply_telemetry",
  source: "flux_stats",
  hosts: ["stats.runonflux.io"],
  every: "6 hours",
  grade: "B",
  owner: "plumbline",
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
