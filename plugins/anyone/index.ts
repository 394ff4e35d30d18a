import { Schema } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { count, sum } from "#plugin/fields"

const api = "https://api.ec.anyone.tech"
const Cells = Schema.Array(Schema.Struct({ relayCount: count }))
const RelayMap = Schema.Union([Schema.Struct({ cells: Cells }), Cells])
const Fingerprints = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))

export default Plugin.define({
  id: "anyone",
  title: "Anyone relays",
  covers: { networks: ["ANYONE"] },
  source: "anyone_api",
  hosts: ["api.ec.anyone.tech"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  metrics: {
    nodes_online: metric("count", "Relays on the network's map, summed over its cells."),
    cells_covered: metric("count", "H3 cells of the map with a relay."),
    TOTAL_NODES: metric("count", "Relays with a known place, by fingerprint.")
  },
  collect: (observe) =>
    Plugin.anyOf("ANYONE", [
      Plugin.one(observe, `${api}/relay-map`, RelayMap, (body, answer) => {
        const cells = "cells" in body ? body.cells : body
        return cells.length === 0
          ? Upstream.implausible(answer, "", "a map without a cell")
          : { nodes_online: sum(cells.map(({ relayCount }) => relayCount)), cells_covered: cells.length }
      }),
      Plugin.one(observe, `${api}/fingerprint-map`, Fingerprints, (body, answer) => {
        const relays = Object.keys(body).length
        return relays === 0
          ? Upstream.implausible(answer, "", "no relay in the map")
          : { TOTAL_NODES: relays }
      })
    ])
})
