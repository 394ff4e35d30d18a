import { breakdown, capacity, equal, flow, headline, partOf, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"

const api = "https://api.runonflux.io/daemon"
const read = "2026-11-25"

export default declare({
  id: "flux",
  title: "Flux nodes",
  covers: { networks: ["FLUX"] },
  source: "flux_daemon_api",
  tier: "supply_telemetry",
  hosts: ["api.runonflux.io"],
  every: "15 minutes",
  calls: 2,
  grade: "A",
  evidence: readOn(read, {
    "RunOnFlux/fluxd@2dfb504 src/rpc/fluxnode.cpp:1988":
      "total, ipv4, cumulus-enabled, nimbus-enabled, stratus-enabled, basic-enabled, super-enabled, bamf-enabled",
    "RunOnFlux/fluxd@2dfb504 src/fluxnode/fluxnode.cpp:1676": "ipv4",
    "RunOnFlux/flux@845aa9b ZelBack/src/routes.js:102": "/daemon/getfluxnodecount",
    "RunOnFlux/fluxd@2dfb5046b81c482914b93fa1caa0a7254c80bf64 src/rpc/mining.cpp:997": "miner"
  }),
  terms: termsOn(read, "Data: Flux, runonflux.com"),
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
    NODES_STRATUS: breakdown("count", "Confirmed nodes of tier Stratus."),
    paid_out_block: flow("tokens", "FLUX that each block issues, nearly all of it for nodes.", {
      rung: "chain_read",
      at: "miner of the daemon's call getblocksubsidy, at the height of the chain: all that a block issues since nodes make the blocks",
      formula: "data.miner",
      without:
        "What renters pay for applications, and fees of transactions. In it besides what a node of each tier receives (13.5 of 14 parts): the part of the foundation.",
      code: "RunOnFlux/fluxd@2dfb5046b81c482914b93fa1caa0a7254c80bf64 src/main.cpp:2796",
      recomputed:
        "Block 2,996,900, from an answer that a public description of the interface quotes: 14 FLUX."
    })
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
  answers: [
    {
      ask: `${api}/getfluxnodecount`,
      must: [{ at: "status", be: "success", ifTold: true }],
      under: "data",
      // A daemon that has no list yet counts nobody, in every tier.
      positive: ["total"],
      figures: {
        TOTAL_NODES: "total",
        nodes_online: "total",
        IPV4_NODES: "ipv4",
        // Nodes of old versions give the names of the tiers before they were renamed.
        NODES_CUMULUS: { number: "cumulus-enabled", or: "basic-enabled" },
        NODES_NIMBUS: { number: "nimbus-enabled", or: "super-enabled" },
        NODES_STRATUS: { number: "stratus-enabled", or: "bamf-enabled" }
      }
    },
    {
      ask: `${api}/getblocksubsidy`,
      must: [{ at: "status", be: "success", ifTold: true }],
      under: "data",
      positive: ["miner"],
      figures: { paid_out_block: "miner" }
    }
  ]
})
