import { Schema } from "effect"
import { capacity, headline, mayDropToZero, Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, text } from "#plugin/fields"

const api = "https://api.ec.anyone.tech"
const Totals = Schema.Struct({ all: count, online: count, offline: count })
const Cells = Schema.Array(Schema.Struct({ index: text }))
const RelayMap = Schema.Union([Schema.Struct({ cells: Cells }), Cells])
const Fingerprints = Schema.Record(Schema.String, Schema.Struct({ countryCode: text }))

export default Plugin.define({
  id: "anyone",
  title: "Anyone relays",
  covers: { networks: ["ANYONE"] },
  source: "anyone_api",
  hosts: ["api.ec.anyone.tech"],
  every: "1 hour",
  calls: 3,
  grade: "B",
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
      Plugin.one(observe, `${api}/total-relays-latest`, Totals, ({ all, offline, online }, answer) =>
        // Without a sample the operator's database gives an empty object; a network without a relay answers nobody.
        all === 0 || online === 0
          ? Upstream.implausible(answer, "", "no relay at all")
          : { relays_online: online, relays_offline: offline, relays_total: all }
      ),
      Plugin.one(observe, `${api}/relay-map`, RelayMap, (body, answer) => {
        const cells = "cells" in body ? body.cells : body
        return cells.length === 0
          ? Upstream.implausible(answer, "", "a map without a cell")
          : { cells_covered: cells.length }
      }),
      Plugin.one(observe, `${api}/fingerprint-map`, Fingerprints, (body, answer) => {
        const relays = Object.keys(body).length
        return relays === 0
          ? Upstream.implausible(answer, "", "no relay in the map")
          : {
              TOTAL_NODES: relays,
              ...byCountry(Object.values(body).map(({ countryCode }) => [countryCode, 1]))
            }
      })
    ])
})
