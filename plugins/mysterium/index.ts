import { Effect, Schema } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { readable, text } from "#plugin/fields"

const url = "https://discovery.mysterium.network/api/v4/proposals"

const Proposal = Schema.Struct({
  provider_id: text,
  location: Upstream.maybe(Schema.Struct({ country: text, ip_type: text }))
})

export default Plugin.define({
  id: "mysterium",
  title: "Mysterium nodes",
  covers: { networks: ["MYST"] },
  source: "mysterium_discovery",
  hosts: ["discovery.mysterium.network"],
  every: "30 minutes",
  grade: "B",
  metrics: {
    nodes_online: metric("count", "Nodes that offer at least one service."),
    service_proposals: metric("count", "Services offered; a node offers several."),
    nodes_residential: metric("count", "Nodes that are known to be on a residential address."),
    ...countryMetrics("Nodes that offer at least one service")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(url, Schema.Array(Schema.Unknown))
      const proposals = yield* readable(answer, answer.body, Proposal)
      if (proposals.length === 0) return yield* Upstream.implausible(answer, "", "no proposal listed")
      // A node's proposals share its place, where it is told.
      const places = new Map<string, string | null | undefined>()
      for (const { location, provider_id } of proposals) {
        if (typeof provider_id !== "string" || provider_id === "") continue
        places.set(provider_id, places.get(provider_id) || location?.country)
      }
      // A proposal of nobody may be of a node that is listed, or not.
      const isWhole = proposals.every(({ provider_id }) => provider_id)
      const residential = proposals.filter(({ location }) => location?.ip_type === "residential")
      // None is only measured where every node's kind of address is told.
      const isTold = residential.length > 0 || proposals.every(({ location }) => location?.ip_type)
      return observe(answer, {
        nodes_online: isWhole ? places.size : undefined,
        service_proposals: proposals.length,
        nodes_residential:
          isWhole && isTold ? new Set(residential.map(({ provider_id }) => provider_id)).size : undefined,
        ...(isWhole ? byCountry([...places.values()].map((country) => [country, 1])) : {})
      })
    })
})
