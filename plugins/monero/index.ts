import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { file } from "../../core/plugin/shapes/file.ts"
import { mayDropToZero, metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Urls = Upstream.maybe(Schema.Array(Schema.Unknown))
const Lists = Schema.Struct({
  monero: Upstream.maybe(Schema.Struct({ clear: Urls, onion: Urls, i2p: Urls, web_compatible: Urls }))
})

/** The addresses of a list, each once; an entry that is no text is no address. */
const addresses = (list: ReadonlyArray<unknown> | null | undefined): ReadonlySet<string> | undefined =>
  list === null || list === undefined
    ? undefined
    : new Set(list.filter((url) => typeof url === "string").filter((url) => url.trim() !== ""))

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
    public_nodes_onion: metric("count", "Public nodes with a Tor address."),
    public_nodes_i2p: mayDropToZero("count", "Public nodes with an I2P address.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const { answer, facts } = yield* file("https://monero.fail/nodes.json", Lists)
      const lists = answer.body.monero ?? {}
      const clear = addresses(lists.clear)
      const onion = addresses(lists.onion)
      const i2p = addresses(lists.i2p)
      // Those that a browser may ask stand in `clear` too, as do other views of the same nodes: each counts once.
      const all = [clear, onion, i2p, addresses(lists.web_compatible)].filter((list) => list !== undefined)
      if (all.length === 0) return []
      const distinct = new Set(all.flatMap((list) => [...list])).size
      return distinct === 0 || clear?.size === 0
        ? yield* Upstream.implausible(answer, `["monero"]`, "no node with a clear address listed")
        : observe(
            answer,
            {
              public_nodes: distinct,
              public_nodes_clear: clear?.size,
              public_nodes_onion: onion?.size,
              public_nodes_i2p: i2p?.size
            },
            facts
          )
    })
})
