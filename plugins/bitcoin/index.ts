import { Schema } from "effect"
import {
  breakdown,
  capacity,
  headline,
  isNumber,
  metric,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { combine, count, moment, tally } from "#plugin/fields"

const url = "https://btcnodes.io/api/v1/snapshots/latest/"

const Snapshot = Schema.Struct({
  timestamp: moment,
  total_nodes: count,
  latest_height: count,
  nodes: Schema.optional(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})

type Kind = "ipv4" | "ipv6" | "onion" | "i2p" | "cjdns" | "other"

/** The network of `host:port`; CJDNS is the part fc00::/8 of what looks like IPv6. */
const kindOf = (address: string): Kind => {
  if (/^\[fc[0-9a-f]{2}:/i.test(address)) return "cjdns"
  if (address.startsWith("[")) return "ipv6"
  if (/^(\d{1,3}\.){3}\d{1,3}:\d+$/.test(address)) return "ipv4"
  if (/\.onion(:\d+)?$/i.test(address)) return "onion"
  return /\.i2p(:\d+)?$/i.test(address) ? "i2p" : "other"
}

/** Blocks that a node may be behind or ahead of the tip, where it was asked early or late in the crawl. */
const near = 100

/** The height that a node told; each is a list, of which it is the fifth member. */
const heightOf = (node: unknown) => tally(Array.isArray(node) ? node[4] : undefined)

const reachable = (network: string) => breakdown("count", `Reachable nodes with ${network} address.`)

export default Plugin.define({
  id: "bitcoin",
  title: "Bitcoin reachable nodes",
  covers: { networks: ["BTC"] },
  source: "btcnodes_snapshot",
  tier: "supply_telemetry",
  hosts: ["btcnodes.io"],
  // The host allows ten calls per day.
  every: "4 hours",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "https://btcnodes.io/api/": "snapshots, latest, ADDRESS:PORT",
    "jorisstrakeljahn/bitcoin-seeder-data@1a7897bcc0a042d5d72d92c78bc5d9c01ec76492 analysis/compare_sources.py":
      "nodes",
    "neu-info7500-spring-04/Bitnodes-API-Schema@98538f6c4963af596c6a2b94aa4e234f7e4f213b Bitnodes-Snapshot.yml":
      "timestamp, total_nodes, latest_height",
    "ayeowch/bitnodes@1619d62 export.py:83": "height, most_common"
  }),
  relations: [
    partOf(["IPV4_NODES", "IPV6_NODES", "ONION_NODES", "I2P_NODES", "CJDNS_NODES"], "TOTAL_NODES"),
    partOf("nodes_at_tip", "TOTAL_NODES")
  ],
  terms: termsOn("2026-11-25", "Data: btcnodes.io, https://btcnodes.io"),
  metrics: {
    TOTAL_NODES: headline(
      "count",
      "Reachable nodes of the newest crawl, those that follow another chain than the main one included."
    ),
    nodes_at_tip: capacity(
      "count",
      `Reachable nodes that told a height within ${near} blocks of the one that most nodes tell.`
    ),
    IPV4_NODES: reachable("an IPv4"),
    IPV6_NODES: reachable("an IPv6 (not CJDNS)"),
    ONION_NODES: reachable("a Tor onion"),
    I2P_NODES: reachable("an I2P"),
    CJDNS_NODES: reachable("a CJDNS (fc00::/8)"),
    block_height: metric("block", "The height that most nodes of the crawl tell, which is no maximum.")
  },
  collect: (observe) =>
    Plugin.one(
      observe,
      url,
      Snapshot,
      { as_of: ({ timestamp }) => timestamp },
      ({ latest_height, nodes, total_nodes }, answer) => {
        const addresses = nodes === null || nodes === undefined ? undefined : Object.keys(nodes)
        if (total_nodes === 0 || addresses?.length === 0) {
          return Upstream.implausible(answer, `["nodes"]`, "a crawl of Bitcoin that found no node")
        }
        const kinds = addresses?.map(kindOf)
        const others = kinds?.filter((kind) => kind === "other").length ?? 0
        // One odd key is none of the kinds; many may be a form of address that is one of them.
        if (kinds !== undefined && others * 100 > kinds.length) {
          return Upstream.implausible(answer, `["nodes"]`, `${others} keys are no known address`)
        }
        const heights = nodes === null || nodes === undefined ? [] : Object.values(nodes).map(heightOf)
        const numbers = heights.filter(isNumber)
        // As with addresses: one node in a hundred may tell none.
        const areMost = (heights.length - numbers.length) * 100 <= heights.length
        const having = (kind: Kind) => kinds?.filter((entry) => entry === kind).length
        return {
          TOTAL_NODES: total_nodes,
          nodes_at_tip:
            numbers.length > 0 && areMost
              ? combine(
                  [latest_height],
                  ([tip]) =>
                    numbers.filter(
                      (height) => combine([height], ([height]) => Math.abs(height - tip) <= near) === true
                    ).length
                )
              : undefined,
          IPV4_NODES: having("ipv4"),
          IPV6_NODES: having("ipv6"),
          ONION_NODES: having("onion"),
          I2P_NODES: having("i2p"),
          CJDNS_NODES: having("cjdns"),
          block_height: latest_height
        }
      }
    )
})
