import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, moment } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { fromBaseUnits } from "../../core/plugin/Value.ts"

const Statistics = Schema.Struct({
  latest: Schema.Struct({
    added: moment,
    node_count: count,
    channel_count: count,
    total_capacity: count,
    tor_nodes: count,
    clearnet_nodes: count
  })
})

export default Plugin.define({
  id: "lightning",
  title: "Lightning Network",
  covers: { networks: ["BTC"] },
  tier: "supply_telemetry",
  source: "mempool_lightning",
  hosts: ["mempool.space"],
  every: "1 hour",
  grade: "B",
  owner: "plumbline",
  metrics: {
    lightning_nodes: { unit: "count", min: 0, meaning: "Lightning nodes with a public channel." },
    lightning_channels: { unit: "count", min: 0, meaning: "Public Lightning channels." },
    lightning_capacity: { unit: "tokens", min: 0, meaning: "BTC in public Lightning channels." },
    lightning_nodes_tor: { unit: "count", min: 0, meaning: "Lightning nodes announced on Tor alone." },
    lightning_nodes_clearnet: {
      unit: "count",
      min: 0,
      meaning: "Lightning nodes announced on clear networks alone."
    }
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        "https://mempool.space/api/v1/lightning/statistics/latest",
        Statistics
      )
      const { latest } = answer.body
      return observe(
        answer,
        {
          lightning_nodes: latest.node_count,
          lightning_channels: latest.channel_count,
          lightning_capacity: fromBaseUnits(latest.total_capacity, 8),
          lightning_nodes_tor: latest.tor_nodes,
          lightning_nodes_clearnet: latest.clearnet_nodes
        },
        { as_of: latest.added }
      )
    })
})
