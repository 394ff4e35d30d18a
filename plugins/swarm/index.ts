import { Option, Schema } from "effect"
import { capacity, headline, Plugin } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, counts, difference, positive } from "#plugin/fields"

const Stats = Schema.StructWithRest(Schema.Struct({ count: positive, unreachableCount: count }), [
  Schema.Record(Schema.String, Schema.Unknown)
])

const isOfCountries = (member: string): boolean => /countr/i.test(member)

/** The map of countries: its member has been renamed before, and the other map is of neighbourhoods. */
const countriesOf = (body: typeof Stats.Type) =>
  Object.entries(body)
    .toSorted(([a], [b]) => Number(isOfCountries(b)) - Number(isOfCountries(a)))
    .flatMap(([, member]) => Option.toArray(Schema.decodeUnknownOption(counts)(member)))
    .map((nodes) => byCountry(Object.entries(nodes)))
    .find((found) => Object.keys(found).length > 0)

export default Plugin.define({
  id: "swarm",
  title: "Swarm nodes",
  covers: { networks: ["BZZ"] },
  source: "swarmscan",
  tier: "supply_telemetry",
  hosts: ["api.swarmscan.io"],
  every: "30 minutes",
  grade: "B",
  evidence: [
    {
      source: "petfold/swarm-da scripts/refresh_numbers.py and a stored network dump",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    TOTAL_NODES: capacity("count", "Full nodes that the crawl knows."),
    nodes_online: headline("count", "Nodes that the crawl could reach: all less the unreachable."),
    ...countryMetrics("Full nodes that the crawl knows")
  },
  collect: (observe) =>
    Plugin.one(observe, "https://api.swarmscan.io/v1/network/stats", Stats, (stats) => ({
      TOTAL_NODES: stats.count,
      nodes_online: difference(stats.count, stats.unreachableCount),
      ...countriesOf(stats)
    }))
})
