import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byCountry, countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { count, sum, text } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Summary = Schema.Struct({
  Payload: Upstream.maybe(
    Schema.Struct({ summary: Upstream.maybe(Schema.Array(Schema.Struct({ Country: text, Count: count }))) })
  )
})

export default Plugin.define({
  id: "nkn",
  title: "NKN nodes",
  covers: { networks: ["NKN"] },
  tier: "supply_telemetry",
  source: "nkn_geo",
  sources: ["nkn_openapi"],
  hosts: ["api.nkn.org", "openapi.nkn.org"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  owner: "plumbline",
  metrics: {
    nodes_online: metric("count", "Nodes of the network's map, summed over the countries."),
    block_height: metric("block", "Blocks of the chain."),
    ...countryMetrics("Nodes of the network's map")
  },
  collect: (observe) =>
    Plugin.anyOf("NKN", [
      Effect.gen(function* () {
        const answer = yield* Upstream.json("https://api.nkn.org/v1/geo/summary", Summary)
        const countries = answer.body.Payload?.summary
        if (countries === null || countries === undefined || countries.length === 0) {
          return yield* Upstream.implausible(answer, `["Payload"]["summary"]`, "no country listed")
        }
        return observe(answer, {
          nodes_online: sum(countries.map(({ Count }) => Count)),
          ...byCountry(countries.map(({ Count, Country }) => [Country, Count]))
        })
      }),
      Effect.map(
        Upstream.json(
          "https://openapi.nkn.org/api/v1/statistics/counts",
          Schema.Struct({ blockCount: count })
        ),
        (answer) => observe(answer, { block_height: answer.body.blockCount }, { source: "nkn_openapi" })
      )
    ])
})
