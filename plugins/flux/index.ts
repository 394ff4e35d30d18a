import { Schema } from "effect"
import { breakdown, capacity, equal, headline, Plugin, partOf } from "#plugin"
import { dataOf } from "#plugin/envelope"
import { count, positive } from "#plugin/fields"

const api = "https://api.runonflux.io/daemon"
const url = `${api}/getfluxnodecount`
const read = "2026-11-25"
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
      source: "RunOnFlux/fluxd@2dfb504 src/rpc/fluxnode.cpp:1988",
      read,
      members: [
        "total",
        "ipv4",
        "cumulus-enabled",
        "nimbus-enabled",
        "stratus-enabled",
        "basic-enabled",
        "super-enabled",
        "bamf-enabled"
      ]
    },
    { source: "RunOnFlux/fluxd@2dfb504 src/fluxnode/fluxnode.cpp:1676", read, members: ["ipv4"] },
    {
      source: "RunOnFlux/flux@845aa9b ZelBack/src/routes.js:102",
      read,
      members: ["/daemon/getfluxnodecount"]
    }
  ],
  terms: {
    read,
    licence: "unknown",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: Flux, runonflux.com"
  },
  metrics: {
    TOTAL_NODES: capacity("count", "Confirmed nodes on the node list of the chain."),
    nodes_online: headline(
      "count",
      "Confirmed nodes: one that stops confirming leaves the list after 640 blocks, about five hours."
    ),
    IPV4_NODES: breakdown(
      "count",
      "Confirmed nodes whose address is IPv4 alone; one with a port beside it, as nodes that share an address have, is not counted."
    ),
    NODES_CUMULUS: breakdown("count", "Confirmed nodes of tier Cumulus."),
    NODES_NIMBUS: breakdown("count", "Confirmed nodes of tier Nimbus."),
    NODES_STRATUS: breakdown("count", "Confirmed nodes of tier Stratus.")
  },
  relations: [
    equal("TOTAL_NODES", "nodes_online"),
    partOf("IPV4_NODES", "TOTAL_NODES"),
    partOf(["NODES_CUMULUS", "NODES_NIMBUS", "NODES_STRATUS"], "TOTAL_NODES")
  ],
  canaries: [
    {
      request: `${api}/getblockhash/0`,
      path: ["data"],
      is: "00052461a5006c2e3b74ce48992a08695607912d5604c3eb8da25749b0900444",
      why: "The hash of the first block of the main network (RunOnFlux/fluxd src/chainparams.cpp)."
    }
  ],
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
