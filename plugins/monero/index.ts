import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { file } from "../../core/plugin/shapes/file.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Urls = Upstream.maybe(Schema.Array(Schema.NonEmptyString))
const Lists = Schema.Struct({
  monero: Upstream.maybe(Schema.Struct({ clear: Urls, onion: Urls, web_compatible: Urls }))
})

export default Plugin.define({
  id: "monero",
  title: "Monero public nodes",
  covers: { networks: ["XMR"] },
  tier: "supply_telemetry",
  source: "monero_fail",
  hosts: ["monero.fail"],
  every: "6 hours",
  grade: "B",
  owner: "plumbline",
  metrics: {
    public_nodes: metric("count", "Public nodes on the list, each address once."),
    public_nodes_clear: metric("count", "Public nodes with a clear address."),
    public_nodes_onion: metric("count", "Public nodes with a Tor address.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const { answer, facts } = yield* file("https://monero.fail/nodes.json", Lists)
      const { clear, onion, web_compatible } = answer.body.monero ?? {}
      const all = [clear, onion, web_compatible].filter((list) => list !== null && list !== undefined)
      if (all.length === 0) return []
      const distinct = new Set(all.flat()).size
      return distinct === 0 || clear?.length === 0
        ? yield* Upstream.implausible(answer, `["monero"]`, "no node with a clear address listed")
        : observe(
            answer,
            {
              public_nodes: distinct,
              public_nodes_clear: clear?.length,
              public_nodes_onion: onion?.length
            },
            facts
          )
    })
})
