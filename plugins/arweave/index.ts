import { Schema } from "effect"
import { headline, mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { count, positive } from "#plugin/fields"

/** `ip:port`, as the gateway writes its peers, a node itself as URLs; another entry of the list is none. */
const addressOf = (entry: unknown): string | undefined =>
  typeof entry === "string" ? /^(?:https?:\/\/)?([^/\s]+:\d{1,5})\/?$/.exec(entry)?.[1] : undefined

/** Loopback, private, link-local and carrier-grade addresses, which nodes tell each other by mistake. */
const isPrivate = (peer: string): boolean =>
  /^(0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(
    peer
  ) || /^(localhost|\[(::1|f[cde][0-9a-f]{2}:))/i.test(peer)

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
  grade: "B",
  evidence: [{ source: "stored clients of the Arweave HTTP API", read: "2026-11-20", members: [] }],
  metrics: {
    nodes_online: headline("count", "Distinct public addresses among the peers that the gateway knows."),
    block_height: metric("block", "Height of the chain."),
    gateway_peers: mayDropToZero("count", "Peers that the answering node holds itself.")
  },
  collect: (observe) =>
    Plugin.anyOf("AR", [
      Plugin.one(observe, "https://arweave.net/peers", Schema.Array(Schema.Unknown), (body, answer) => {
        const peers = new Set(body.map(addressOf).filter((peer) => peer !== undefined && !isPrivate(peer)))
        return peers.size === 0
          ? Upstream.implausible(answer, "", "no public peer in the list")
          : { nodes_online: peers.size }
      }),
      Plugin.one(observe, "https://arweave.net/info", Info, ({ height, peers }) => ({
        block_height: height,
        gateway_peers: peers
      }))
    ])
})
