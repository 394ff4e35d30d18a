import * as Plugin from "../../core/plugin/Plugin.ts"
import { totals } from "../../core/plugin/shapes/cosmos.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"

const hosts = ["sentinel-rest.publicnode.com", "sentinel-api.polkachu.com"]

export default Plugin.define({
  id: "sentinel",
  title: "Sentinel nodes",
  covers: { networks: ["DVPN"] },
  tier: "supply_telemetry",
  source: "sentinel_lcd",
  hosts,
  every: "1 hour",
  // One, or one and the pages where the node does not count.
  calls: 6,
  grade: "B",
  owner: "plumbline",
  metrics: { nodes_online: metric("count", "Nodes in state active on the chain.") },
  collect: (observe) =>
    totals(observe, "DVPN", {
      nodes_online: {
        urls: hosts.map((host) => `https://${host}/sentinel/node/v3/nodes?status=1`),
        member: "nodes"
      }
    })
})
