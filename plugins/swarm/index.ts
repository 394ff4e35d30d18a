import { Effect, Option, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byCountry, countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { count, counts, difference } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Stats = Schema.StructWithRest(Schema.Struct({ count, unreachableCount: count }), [
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
  tier: "supply_telemetry",
  source: "swarmscan",
  hosts: ["api.swarmscan.io"],
  every: "30 minutes",
  grade: "B",
  owner: "plumbline",
  metrics: {
    TOTAL_NODES: metric("count", "Full nodes that the crawl knows."),
    nodes_online: metric("count", "Nodes that the crawl could reach: all less the unreachable."),
    ...countryMetrics("Full nodes that the crawl knows")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://api.swarmscan.io/v1/network/stats", Stats)
      const { count, unreachableCount } = answer.body
      if (count === 0) return yield* Upstream.implausible(answer, `["count"]`, "a crawl without any node")
      return observe(answer, {
        TOTAL_NODES: count,
        nodes_online: difference(count, unreachableCount),
        ...countriesOf(answer.body)
      })
    })
})
