import { Effect, Schema } from "effect"
import {
  atMost,
  breakdown,
  capacity,
  headline,
  Plugin,
  partOf,
  readOn,
  sumOf,
  termsOn,
  Upstream
} from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { largest, moment, readable, text } from "#plugin/fields"

const url = "https://discovery.mysterium.network/api/v4/proposals-metadata"

const Proposal = Schema.Struct({
  provider_id: text,
  service_type: text,
  country: text,
  ip_type: text,
  updated_at: moment
})

export default Plugin.define({
  id: "mysterium",
  title: "Mysterium nodes",
  covers: { networks: ["MYST"] },
  source: "mysterium_metadata",
  tier: "supply_telemetry",
  hosts: ["discovery.mysterium.network"],
  every: "30 minutes",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "mysteriumnetwork/discovery@d775b03 proposal/inmemory.go:122":
      "ProviderID, ServiceType, Country, IPType, UpdatedAt",
    "mysteriumnetwork/discovery@d775b03 proposal/v3/metadata.go:13":
      "provider_id, service_type, country, ip_type, updated_at"
  }),
  relations: [
    partOf("nodes_announced_residential", "nodes_announced"),
    atMost("nodes_announced", "services_announced"),
    sumOf("nodes_announced", ["nodes_country_*"], { words: ["US"] })
  ],
  terms: termsOn("2026-11-25", "Data: Mysterium Network, https://www.mysterium.network"),
  metrics: {
    nodes_announced: headline(
      "count",
      "Nodes that announce a service, those included that are open to some clients only or that failed the operator's monitoring."
    ),
    services_announced: capacity("count", "Services that these nodes announce; a node offers several."),
    nodes_announced_residential: breakdown(
      "count",
      "Those of these nodes that are known to be on a residential address."
    ),
    ...countryMetrics("Nodes that announce a service")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(url, Schema.Array(Schema.Unknown))
      const proposals = yield* readable(answer, answer.body, Proposal)
      if (proposals.length === 0) return yield* Upstream.implausible(answer, "", "no proposal listed")
      // A node's proposals share its place, where it is told.
      const places = new Map<string, string | null | undefined>()
      const services = new Set<string>()
      for (const { country, provider_id, service_type } of proposals) {
        if (typeof provider_id !== "string" || provider_id === "") continue
        places.set(provider_id, places.get(provider_id) || country)
        services.add(`${provider_id} ${service_type ?? ""}`)
      }
      // A proposal of nobody may be of a node that is listed, or not; one of no type may be another one again.
      const isWhole = proposals.every(({ provider_id }) => provider_id)
      const isTyped = proposals.every(({ service_type }) => service_type)
      const residential = proposals.filter(({ ip_type }) => ip_type === "residential")
      // None is only measured where every node's kind of address is told.
      const isTold = residential.length > 0 || proposals.every(({ ip_type }) => ip_type)
      const updates = proposals.flatMap(({ updated_at }) => updated_at ?? [])
      const past = updates.filter((time) => typeof time === "number" && time <= answer.at)
      // Where all are ahead of the answer, none is a time, and the figures are refused by it.
      const times = past.length === 0 ? updates : past
      return observe(
        answer,
        {
          nodes_announced: isWhole ? places.size : undefined,
          services_announced: isWhole && isTyped ? services.size : undefined,
          nodes_announced_residential:
            isWhole && isTold ? new Set(residential.map(({ provider_id }) => provider_id)).size : undefined,
          ...(isWhole ? byCountry([...places.values()].map((country) => [country, 1])) : {})
        },
        // Each node renews its services every few minutes: the newest of them is the time of the list.
        { as_of: largest(times) }
      )
    })
})
