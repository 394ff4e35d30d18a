import { Schema } from "effect"
import { capacity, headline, mayDropToZero, Plugin } from "#plugin"
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
  grade: "B",
  evidence: [
    {
      source:
        "anyone-protocol/api-service@f2e9c7d src/app.ts (/total-relays-latest, /relay-map, /fingerprint-map)",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    relays_online: headline("count", "Relays that are running, as the operator counts them."),
    relays_offline: mayDropToZero("count", "Relays that are known and not running.", { role: "breakdown" }),
    relays_total: capacity("count", "Relays that are known, running or not."),
    cells_covered: capacity("count", "H3 cells of the map with a relay, running or not."),
    TOTAL_NODES: capacity("count", "Relays with a known place, running or not, by fingerprint."),
    ...countryMetrics("Relays with a known place, running or not")
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
