import { Option, Schema } from "effect"
import { capacity, headline, Plugin, partOf, readOn, termsOn } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, counts, difference, positive } from "#plugin/fields"

const read = "2026-11-25"

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
    .find((candidate) => Object.keys(candidate).length > 0)

export default Plugin.define({
  id: "swarm",
  title: "Swarm nodes",
  covers: { networks: ["BZZ"] },
  source: "swarmscan",
  tier: "supply_telemetry",
  hosts: ["api.swarmscan.io"],
  every: "30 minutes",
  grade: "B",
  evidence: readOn(read, {
    "petfold/swarm-da@2ba25cd scripts/refresh_numbers.py:36": "count, unreachableCount, countries",
    "petfold/swarm-da@0f5cddb swarm-data-availability.md": "count, unreachableCount, countries"
  }),
  terms: termsOn(read, "Data: Swarmscan, swarmscan.io"),
  metrics: {
    TOTAL_NODES: capacity(
      "count",
      "Nodes that the explorer's crawl counts, those that it cannot reach included."
    ),
    nodes_online: headline(
      "count",
      "Nodes that the crawl could reach: all less the unreachable; it moves by a fifth from day to day."
    ),
    ...countryMetrics("Nodes in the explorer's map of places, whose sum need not be its count")
  },
  relations: [partOf("nodes_online", "TOTAL_NODES")],
  collect: (observe) =>
    Plugin.one(observe, "https://api.swarmscan.io/v1/network/stats", Stats, (stats) => ({
      TOTAL_NODES: stats.count,
      nodes_online: difference(stats.count, stats.unreachableCount),
      ...countriesOf(stats)
    }))
})
