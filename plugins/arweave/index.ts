import { Schema } from "effect"
import {
  headline,
  isNumber,
  mayDropToZero,
  metric,
  neverFalls,
  Plugin,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { count, positive } from "#plugin/fields"

/** `ip:port`, as the gateway writes its peers, a node itself as URLs; another entry of the list is none. */
const addressOf = (entry: unknown): string | undefined =>
  typeof entry === "string" ? /^(?:https?:\/\/)?([^/\s]+:\d{1,5})\/?$/.exec(entry)?.[1] : undefined

/** Loopback, private, link-local and carrier-grade addresses, which nodes tell each other by mistake. */
const isPrivate = (peer: string): boolean =>
  /^(0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(
    peer
  ) || /^(localhost|\[(::1|f[cde][0-9a-f]{2}:))/i.test(peer)

/** How many peers a node lists at most: a list as long as that may be cut. */
const mostPeers = 1000

const read = "2026-11-25"

const Info = Schema.Struct({ height: positive, peers: count })

export default Plugin.define({
  id: "arweave",
  title: "Arweave peers and height",
  covers: { networks: ["AR"] },
  source: "arweave_gateway",
  tier: "supply_telemetry",
  hosts: ["arweave.net"],
  every: "1 hour",
  calls: 2,
  grade: "A",
  evidence: readOn(read, {
    "ArweaveTeam/arweave@50e47de apps/arweave/src/ar_http_iface_middleware.erl:860": "peers",
    "ArweaveTeam/arweave@50e47de apps/arweave/src/ar_peers.erl:185": "peers, current",
    "ArweaveTeam/arweave@50e47de apps/arweave/src/ar_info.erl:12": "height, peers"
  }),
  terms: termsOn(read, "Data: Arweave, arweave.net"),
  metrics: {
    nodes_online: headline(
      "count",
      "Distinct public addresses that the gateway's node lists, of the 1,000 peers at most that it ranks first: connected within 30 days, and not dropped since for failing."
    ),
    block_height: metric("block", "Height of the chain."),
    gateway_peers: mayDropToZero(
      "count",
      "Peers that the answering node rates, of whatever age: those that it has not dropped."
    )
  },
  relations: [neverFalls("block_height")],
  canaries: [
    {
      request: "https://arweave.net/block/height/0",
      path: ["indep_hash"],
      is: "7wIU7KolICAjClMlcZ38LZzshhI7xGkm2tDCJR7Wvhe3ESUo2-Z4-y0x1uaglRJE",
      why: "The hash of the first block, which every later block builds on."
    }
  ],
  collect: (observe) =>
    Plugin.anyOf("AR", [
      Plugin.one(observe, "https://arweave.net/peers", Schema.Array(Schema.Unknown), (body, answer) => {
        const peers = new Set(body.map(addressOf).filter((peer) => peer !== undefined && !isPrivate(peer)))
        if (peers.size === 0) return Upstream.implausible(answer, "", "no public peer in the list")
        return {
          nodes_online:
            body.length < mostPeers
              ? peers.size
              : Upstream.unreadable(
                  `a list of ${body.length} peers may be cut: a node lists at most ${mostPeers}`
                )
        }
      }),
      Plugin.one(observe, "https://arweave.net/info", Info, ({ height, peers }) => ({
        block_height: height,
        // A node that has not joined the network says -1, and counts no peers.
        gateway_peers: isNumber(height)
          ? peers
          : Upstream.unreadable("the node does not tell a height: it may not have joined the network")
      }))
    ])
})
