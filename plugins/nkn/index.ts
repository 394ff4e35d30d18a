import { Schema } from "effect"
import { headline, metric, Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, distinct, nonEmpty, positive, sum, text } from "#plugin/fields"

const url = "https://openapi.nkn.org/api/v1/statistics/counts"

const Countries = nonEmpty(Schema.Struct({ Country: text, Count: count }))
const Summary = Schema.Struct({ Payload: Schema.Struct({ summary: Countries }) })
const Counts = Schema.Struct({ blockCount: positive })

export default Plugin.define({
  id: "nkn",
  title: "NKN nodes",
  covers: { networks: ["NKN"] },
  source: "nkn_geo",
  tier: "supply_telemetry",
  sources: ["nkn_openapi"],
  hosts: ["api.nkn.org", "openapi.nkn.org"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  evidence: [
    { source: "AL-dot-debug/nWatch and stored clients of the NKN APIs", read: "2026-11-20", members: [] }
  ],
  metrics: {
    nodes_online: headline("count", "Nodes of the network's map, summed over the countries."),
    block_height: metric("block", "Blocks of the chain."),
    ...countryMetrics("Nodes of the network's map")
  },
  collect: (observe) =>
    Plugin.anyOf("NKN", [
      Plugin.one(observe, "https://api.nkn.org/v1/geo/summary", Summary, ({ Payload }, answer) => {
        const countries = distinct(Payload.summary, ({ Count, Country }) => JSON.stringify([Country, Count]))
        if (distinct(countries, ({ Country }) => Country ?? "").length < countries.length) {
          return Upstream.implausible(answer, `["Payload"]["summary"]`, "one country with two counts")
        }
        return {
          nodes_online: sum(countries.map(({ Count }) => Count)),
          ...byCountry(countries.map(({ Count, Country }) => [Country, Count]))
        }
      }),
      Plugin.one(observe, url, Counts, { source: "nkn_openapi" }, ({ blockCount }) => ({
        block_height: blockCount
      }))
    ])
})
