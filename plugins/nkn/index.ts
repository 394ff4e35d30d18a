import { Schema } from "effect"
import { headline, metric, neverFalls, Plugin, readOn, sumOf, termsOn, Upstream } from "#plugin"
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
  evidence: readOn("2026-11-25", {
    "rule110-io/nkn-open-api@a9e9c49 app/Http/Controllers/StatisticsController.php:134": "blockCount",
    "rule110-io/nscan@346b4ad store/network.js:50": "Payload, summary, Count",
    "rule110-io/nscan@346b4ad components/Charts/NetworkMapChart.vue:42": "Country, Count",
    "rule110-io/nTipBot@28b6dfab4de4c6bbfcee8615e8eff966135170a8 nTipBot/Models/NKNGeoSummary.cs":
      "Payload, summary, Country, Count"
  }),
  relations: [sumOf("nodes_online", ["nodes_country_*"], { words: ["US"] }), neverFalls("block_height")],
  terms: termsOn("2026-11-25", "Data: NKN, https://nkn.org"),
  metrics: {
    nodes_online: headline("count", "Nodes of the network's map, summed over the countries."),
    block_height: metric("block", "Height of the newest block that the explorer's database has."),
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
