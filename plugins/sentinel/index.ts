import { headline, Plugin } from "#plugin"
import { totals } from "#plugin/cosmos"

const hosts = ["sentinel-rest.publicnode.com", "sentinel-api.polkachu.com"]

export default Plugin.define({
  id: "sentinel",
  title: "Sentinel nodes",
  covers: { networks: ["DVPN"] },
  source: "sentinel_lcd",
  tier: "supply_telemetry",
  hosts,
  every: "1 hour",
  // One, or one and the pages where the node does not count.
  calls: 6,
  grade: "B",
  evidence: [
    { source: "stored clients of the Sentinel LCD and an endpoint survey", read: "2026-11-20", members: [] }
  ],
  metrics: { nodes_online: headline("count", "Nodes in state active on the chain.") },
  collect: (observe) =>
    totals(observe, "DVPN", {
      nodes_online: {
        urls: hosts.map((host) => `https://${host}/sentinel/node/v3/nodes?status=1`),
        member: "nodes"
      }
    })
})
