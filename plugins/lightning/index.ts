import { Schema } from "effect"
import { fromBaseUnits, metric, Plugin } from "#plugin"
import { count, moment } from "#plugin/fields"

const url = "https://mempool.space/api/v1/lightning/statistics/latest"

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
  source: "mempool_lightning",
  hosts: ["mempool.space"],
  every: "1 hour",
  grade: "B",
  metrics: {
    lightning_nodes: metric("count", "Lightning nodes with a public channel."),
    lightning_channels: metric("count", "Public Lightning channels."),
    lightning_capacity: metric("tokens", "BTC in public Lightning channels."),
    lightning_nodes_tor: metric("count", "Lightning nodes announced on Tor alone."),
    lightning_nodes_clearnet: metric("count", "Lightning nodes announced on clear networks alone.")
  },
  collect: (observe) =>
    Plugin.one(observe, url, Statistics, { as_of: ({ latest }) => latest.added }, ({ latest }) => ({
      lightning_nodes: latest.node_count,
      lightning_channels: latest.channel_count,
      lightning_capacity: fromBaseUnits(latest.total_capacity, 8),
      lightning_nodes_tor: latest.tor_nodes,
      lightning_nodes_clearnet: latest.clearnet_nodes
    }))
})
