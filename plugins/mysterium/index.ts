import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byCountry, countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { text } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Proposals = Schema.Array(
  Schema.Struct({
    provider_id: Schema.NonEmptyString,
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
    nodes_residential: metric("count", "Nodes that are known to be on a residential address."),
    ...countryMetrics("Nodes that offer at least one service")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://discovery.mysterium.network/api/v4/proposals", Proposals)
      const proposals = answer.body
      if (proposals.length === 0) return yield* Upstream.implausible(answer, "", "no proposal listed")
      // A node's proposals share its place.
      const places = new Map(proposals.map(({ location, provider_id }) => [provider_id, location?.country]))
      const residential = proposals.filter(({ location }) => location?.ip_type === "residential")
      // None is only measured where every node's kind of address is told.
      const isTold = residential.length > 0 || proposals.every(({ location }) => location?.ip_type)
      return observe(answer, {
        nodes_online: new Set(proposals.map(({ provider_id }) => provider_id)).size,
        service_proposals: proposals.length,
        nodes_residential: isTold
          ? new Set(residential.map(({ provider_id }) => provider_id)).size
          : undefined,
        ...byCountry([...places.values()].map((country) => [country, 1]))
      })
    })
})
