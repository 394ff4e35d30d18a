import { Schema } from "effect"
import { breakdown, headline, mayDropToZero, Plugin, Upstream } from "#plugin"
import { object } from "#plugin/fields"
import { byLastModified } from "#plugin/file"

const url = "https://monero.fail/nodes.json"
const Urls = Upstream.maybe(Schema.Array(Schema.Unknown))
const Lists = Schema.Struct({
  monero: object({ clear: Urls, onion: Urls, i2p: Urls })
})

/** The addresses of a list, each once; an entry that is no text is no address. */
const addresses = (list: ReadonlyArray<unknown> | null = null) =>
  list === null ? undefined : new Set(list.filter((url) => typeof url === "string" && url.trim() !== ""))

export default Plugin.define({
  id: "monero",
  title: "Monero public nodes",
  covers: { networks: ["XMR"] },
  source: "monero_fail",
  tier: "supply_telemetry",
  hosts: ["monero.fail"],
  every: "6 hours",
  grade: "B",
  evidence: [
    {
      source: "the site's own source, lalanza808/monero.fail xmrnodes/routes/api.py",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    public_nodes: headline("count", "Public nodes on the list, each address once."),
    public_nodes_clear: breakdown("count", "Public nodes with a clear address."),
    public_nodes_onion: breakdown("count", "Public nodes with a Tor address."),
    public_nodes_i2p: mayDropToZero("count", "Public nodes with an I2P address.", { role: "breakdown" })
  },
  collect: (observe) =>
    Plugin.one(observe, url, Lists, byLastModified, ({ monero }, answer) => {
      const [clear, onion, i2p] = [monero?.clear, monero?.onion, monero?.i2p].map(addresses)
      if (clear?.size === 0) {
        return Upstream.implausible(answer, `["monero"]["clear"]`, "no node with a clear address listed")
      }
      const isWhole = clear !== undefined && onion !== undefined && i2p !== undefined
      return {
        // The list `web_compatible` repeats nodes of these three. Without one of them it is no total.
        public_nodes: isWhole ? new Set([...clear, ...onion, ...i2p]).size : undefined,
        public_nodes_clear: clear?.size,
        public_nodes_onion: onion?.size,
        public_nodes_i2p: i2p?.size
      }
    })
})
