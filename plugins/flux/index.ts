import { Schema } from "effect"
import { breakdown, capacity, headline, Plugin } from "#plugin"
import { dataOf } from "#plugin/envelope"
import { count, positive } from "#plugin/fields"

const url = "https://api.runonflux.io/daemon/getzelnodecount"
const Counts = Schema.Struct({
  // A daemon that has no list yet counts nobody, in every tier.
  total: positive,
  ipv4: count,
  "cumulus-enabled": count,
  "nimbus-enabled": count,
  "stratus-enabled": count,
  // The names of the tiers before they were renamed; nodes of old versions give these alone.
  "basic-enabled": count,
  "super-enabled": count,
  "bamf-enabled": count
})

export default Plugin.define({
  id: "flux",
  title: "Flux nodes",
  covers: { networks: ["FLUX"] },
  source: "flux_daemon_api",
  tier: "supply_telemetry",
  hosts: ["api.runonflux.io"],
  every: "15 minutes",
  grade: "A",
  evidence: [
    {
      source: "stored clients of the Flux daemon API and a recorded answer of 2026",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    TOTAL_NODES: capacity("count", "Confirmed nodes on the node list of the chain."),
    nodes_online: headline("count", "Confirmed nodes: a node that stops confirming leaves the list."),
    IPV4_NODES: breakdown("count", "Nodes with an IPv4 address, as served; many share an address."),
    NODES_CUMULUS: breakdown("count", "Nodes of tier Cumulus."),
    NODES_NIMBUS: breakdown("count", "Nodes of tier Nimbus."),
    NODES_STRATUS: breakdown("count", "Nodes of tier Stratus.")
  },
  collect: (observe) =>
    Plugin.from(observe, dataOf(url, ["status", "success"], Counts), (counts) => ({
      TOTAL_NODES: counts.total,
      nodes_online: counts.total,
      IPV4_NODES: counts.ipv4,
      NODES_CUMULUS: counts["cumulus-enabled"] ?? counts["basic-enabled"],
      NODES_NIMBUS: counts["nimbus-enabled"] ?? counts["super-enabled"],
      NODES_STRATUS: counts["stratus-enabled"] ?? counts["bamf-enabled"]
    }))
})
