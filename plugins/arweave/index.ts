import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count } from "../../core/plugin/shapes/fields.ts"
import { mayDropToZero, metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

/** `ip:port`, as the gateway writes its peers, a node itself as URLs; another entry of the list is none. */
const addressOf = (entry: unknown): string | undefined =>
  typeof entry === "string" ? /^(?:https?:\/\/)?([^/\s]+:\d{1,5})\/?$/.exec(entry)?.[1] : undefined

/** Loopback, private, link-local and carrier-grade addresses, which nodes tell each other by mistake. */
const isPrivate = (peer: string): boolean =>
  /^(0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(
    peer
  ) || /^(localhost|\[(::1|f[cde][0-9a-f]{2}:))/i.test(peer)

export default Plugin.define({
  id: "arweave",
  title: "Arweave peers and height",
  covers: { networks: ["AR"] },
  tier: "supply_telemetry",
  source: "arweave_gateway",
  hosts: ["arweave.net"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  owner: "plumbline",
  metrics: {
    nodes_online: metric("count", "Distinct public addresses among the peers that the gateway knows."),
    block_height: metric("block", "Height of the chain."),
    gateway_peers: mayDropToZero("count", "Peers that the answering node holds itself.")
  },
  collect: (observe) =>
    Plugin.anyOf("AR", [
      Effect.gen(function* () {
        const answer = yield* Upstream.json("https://arweave.net/peers", Schema.Array(Schema.Unknown))
        const peers = new Set(
          answer.body.map(addressOf).filter((peer) => peer !== undefined && !isPrivate(peer))
        )
        return peers.size === 0
          ? yield* Upstream.implausible(answer, "", "no public peer in the list")
          : observe(answer, { nodes_online: peers.size })
      }),
      Effect.map(
        Upstream.json("https://arweave.net/info", Schema.Struct({ height: count, peers: count })),
        (answer) => observe(answer, { block_height: answer.body.height, gateway_peers: answer.body.peers })
      )
    ])
})
