import { Schema } from "effect"
import { atMost, capacity, headline, mayDropToZero, Plugin, partOf, readOn, sumOf, termsOn } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, distinct, nonEmpty, nonEmptyMap, positive, text } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const api = "https://api.ec.anyone.tech"
const Totals = Schema.Struct({ all: positive, online: positive, offline: count })
const Cells = nonEmpty(Schema.Struct({ index: Schema.NonEmptyString }))
const Fingerprints = nonEmptyMap(Schema.Struct({ countryCode: text })).check(
  Schema.makeFilter(
    (relays) =>
      Object.keys(relays).every((name) => /^[0-9a-f]{40}$/i.test(name)) || "Expected fingerprints of relays"
  )
)

export default Plugin.define({
  id: "anyone",
  title: "Anyone relays",
  covers: { networks: ["ANYONE"] },
  source: "anyone_api",
  tier: "supply_telemetry",
  hosts: ["api.ec.anyone.tech"],
  every: "1 hour",
  calls: 3,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "anyone-protocol/api-service@f2e9c7d src/app.ts:134": "index, countryCode",
    "anyone-protocol/onionoo@e1fe4ef metrics/generate-network-metrics.py:456": "all, online, offline"
  }),
  relations: [
    sumOf("relays_total", ["relays_online", "relays_offline"]),
    sumOf("TOTAL_NODES", ["nodes_country_*"], { words: ["DE", "US"] }),
    // The maps are read a moment apart from the counts and from each other.
    partOf("TOTAL_NODES", "relays_total", { tolerance: 0.05 }),
    atMost("cells_covered", "TOTAL_NODES", { tolerance: 0.05 })
  ],
  terms: termsOn("2026-11-25", "Data: Anyone Protocol, https://anyone.io"),
  metrics: {
    relays_online: headline(
      "count",
      "Relays that run, after the newest consensus of the operator's directory authorities."
    ),
    relays_offline: mayDropToZero(
      "count",
      "Relays that were in a consensus of the last seven days and do not run.",
      { role: "breakdown" }
    ),
    relays_total: capacity(
      "count",
      "Relays that were in a consensus of the last seven days, running or not."
    ),
    cells_covered: capacity("count", "H3 cells with a relay of the last seven days, running or not."),
    TOTAL_NODES: capacity(
      "count",
      "Relays of the last seven days with a known place, running or not, by fingerprint."
    ),
    ...countryMetrics("Relays of the last seven days with a known place, running or not")
  },
  collect: (observe) =>
    Plugin.anyOf("ANYONE", [
      Plugin.one(observe, `${api}/total-relays-latest`, Totals, ({ all, offline, online }) => ({
        relays_online: online,
        relays_offline: offline,
        relays_total: all
      })),
      Plugin.from(observe, wrapped(`${api}/relay-map`, ["cells"], Cells), (cells) => ({
        cells_covered: distinct(cells, ({ index }) => index).length
      })),
      Plugin.one(observe, `${api}/fingerprint-map`, Fingerprints, (relays) => ({
        TOTAL_NODES: Object.keys(relays).length,
        ...byCountry(Object.values(relays).map(({ countryCode }) => [countryCode, 1]))
      }))
    ])
})
