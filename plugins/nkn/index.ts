import { Schema } from "effect"
import { headline, metric, Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, distinct, sum, text } from "#plugin/fields"

const url = "https://openapi.nkn.org/api/v1/statistics/counts"

const Countries = Schema.Array(Schema.Struct({ Country: text, Count: count }))
const Summary = Schema.Struct({
  Payload: Upstream.maybe(Schema.Struct({ summary: Upstream.maybe(Countries) }))
})

const Counts = Schema.Struct({ blockCount: count })

export default Plugin.define({
  id: "nkn",
  title: "NKN nodes",
  covers: { networks: ["NKN"] },
  source: "nkn_geo",
  sources: ["nkn_openapi"],
  hosts: ["api.nkn.org", "openapi.nkn.org"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  metrics: {
    nodes_online: headline("count", "Nodes of the network's map, summed over the countries."),
    block_height: metric("block", "Blocks of the chain."),
    ...countryMetrics("Nodes of the network's map")
  },
  collect: (observe) =>
    Plugin.anyOf("NKN", [
      Plugin.one(observe, "https://api.nkn.org/v1/geo/summary", Summary, ({ Payload }, answer) => {
        const listed = Payload?.summary ?? []
        if (listed.length === 0) {
          return Upstream.implausible(answer, `["Payload"]["summary"]`, "no country listed")
        }
        const countries = distinct(listed, ({ Count, Country }) => JSON.stringify([Country, Count]))
        if (distinct(countries, ({ Country }) => Country ?? "").length < countries.length) {
          return Upstream.implausible(answer, `["Payload"]["summary"]`, "one country with two counts")
        }
        return {
          nodes_online: sum(countries.map(({ Count }) => Count)),
          ...byCountry(countries.map(({ Count, Country }) => [Country, Count]))
        }
      }),
      Plugin.one(observe, url, Counts, { source: "nkn_openapi" }, ({ blockCount }, answer) =>
        blockCount === 0
          ? Upstream.implausible(answer, `["blockCount"]`, "a chain without a block")
          : { block_height: blockCount }
      )
    ])
})
