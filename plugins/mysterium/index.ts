import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byCountry, countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { text } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Proposals = Schema.Array(
  Schema.Struct({
    provider_id: Schema.String,
    location: Upstream.maybe(Schema.Struct({ country: text, ip_type: text }))
  })
)

export default Plugin.define({
  id: "mysterium",
  title: "Mysterium nodes",
  covers: { networks: ["MYST"] },
  tier: "supply_telemetry",
  source: "mysterium_discovery",
  hosts: ["discovery.mysterium.network"],
  every: "30 minutes",
  grade: "B",
  owner: "plumbline",
  metrics: {
    nodes_online: metric("count", "Nodes that offer at least one service."),
    service_proposals: metric("count", "Services offered; a node offers several."),
    nodes_residential: metric("count", "Nodes on a residential address."),
    ...countryMetrics("Nodes that offer at least one service")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://discovery.mysterium.network/api/v4/proposals", Proposals)
      const proposals = answer.body
      if (proposals.length === 0) return yield* Upstream.implausible(answer, "", "no proposal listed")
      const typed = proposals.flatMap(({ location, provider_id }) =>
        typeof location?.ip_type === "string" && location.ip_type !== ""
          ? [{ provider_id, type: location.ip_type }]
          : []
      )
      // A node's proposals share its place.
      const places = new Map(proposals.map(({ location, provider_id }) => [provider_id, location?.country]))
      const residential = typed.filter(({ type }) => type === "residential")
      return observe(answer, {
        nodes_online: new Set(proposals.map(({ provider_id }) => provider_id)).size,
        service_proposals: proposals.length,
        nodes_residential:
          typed.length === 0 ? undefined : new Set(residential.map(({ provider_id }) => provider_id)).size,
        ...byCountry([...places.values()].map((country) => [country, 1]))
      })
    })
})
