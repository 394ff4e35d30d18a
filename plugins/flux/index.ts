import { Effect, Schema } from "effect"
import { breakdown, capacity, headline, Plugin, Upstream } from "#plugin"
import { count, text } from "#plugin/fields"

const url = "https://api.runonflux.io/daemon/getzelnodecount"

const Envelope = Schema.Struct({ status: text, data: Schema.Unknown })
const Counts = Schema.Struct({
  total: count,
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
  hosts: ["api.runonflux.io"],
  every: "15 minutes",
  grade: "A",
  metrics: {
    TOTAL_NODES: capacity("count", "Confirmed nodes on the node list of the chain."),
    nodes_online: headline("count", "Confirmed nodes: a node that stops confirming leaves the list."),
    IPV4_NODES: breakdown("count", "Nodes with an IPv4 address, as served; many share an address."),
    NODES_CUMULUS: breakdown("count", "Nodes of tier Cumulus."),
    NODES_NIMBUS: breakdown("count", "Nodes of tier Nimbus."),
    NODES_STRATUS: breakdown("count", "Nodes of tier Stratus.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(url, Envelope)
      const { data, status } = answer.body
      if (status !== "success" && typeof status === "string") {
        return yield* Upstream.refused(answer, `${status}: ${JSON.stringify(data)}`)
      }
      const counts = yield* Upstream.decode(url, Counts, data)
      // A daemon that has no list yet counts nobody, in every tier.
      if (counts.total === 0) {
        return yield* Upstream.implausible(answer, `["data"]["total"]`, "no node is confirmed")
      }
      return observe(answer, {
        TOTAL_NODES: counts.total,
        nodes_online: counts.total,
        IPV4_NODES: counts.ipv4,
        NODES_CUMULUS: counts["cumulus-enabled"] ?? counts["basic-enabled"],
        NODES_NIMBUS: counts["nimbus-enabled"] ?? counts["super-enabled"],
        NODES_STRATUS: counts["stratus-enabled"] ?? counts["bamf-enabled"]
      })
    })
})
