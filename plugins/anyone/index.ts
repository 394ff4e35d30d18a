import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, sum } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const api = "https://api.ec.anyone.tech"
const Cells = Schema.Array(Schema.Struct({ relayCount: count }))

export default Plugin.define({
  id: "anyone",
  title: "Anyone relays",
  covers: { networks: ["ANYONE"] },
  tier: "supply_telemetry",
  source: "anyone_api",
  hosts: ["api.ec.anyone.tech"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  owner: "plumbline",
  metrics: {
    nodes_online: metric("count", "Relays on the network's map, summed over its cells."),
    cells_covered: metric("count", "H3 cells of the map with a relay."),
    TOTAL_NODES: metric("count", "Relays with a known place, by fingerprint.")
  },
  collect: (observe) =>
    Plugin.anyOf("ANYONE", [
      Effect.gen(function* () {
        const answer = yield* Upstream.json(
          `${api}/relay-map`,
          Schema.Union([Schema.Struct({ cells: Cells }), Cells])
        )
        const cells = "cells" in answer.body ? answer.body.cells : answer.body
        if (cells.length === 0) return yield* Upstream.implausible(answer, "", "a map without a cell")
        return observe(answer, {
          nodes_online: sum(cells.map(({ relayCount }) => relayCount)),
          cells_covered: cells.length
        })
      }),
      Effect.gen(function* () {
        const answer = yield* Upstream.json(
          `${api}/fingerprint-map`,
          Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
        )
        const relays = Object.keys(answer.body).length
        return relays === 0
          ? yield* Upstream.implausible(answer, "", "no relay in the map")
          : observe(answer, { TOTAL_NODES: relays })
      })
    ])
})
