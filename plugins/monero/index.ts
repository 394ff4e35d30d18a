import { Schema } from "effect"
import { breakdown, headline, mayDropToZero, Plugin, partOf, readOn, termsOn, Upstream } from "#plugin"
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
  grade: "A",
  evidence: readOn("2026-11-25", {
    "lalanza808/monero.fail@1a2aba8 xmrnodes/routes/api.py:15": "monero, clear, onion, i2p",
    "lalanza808/monero.fail@1a2aba8 xmrnodes/cli.py:113": "available, HEALTHY_BLOCK_DIFF"
  }),
  relations: [
    partOf("public_nodes_clear", "public_nodes"),
    partOf("public_nodes_onion", "public_nodes"),
    partOf("public_nodes_i2p", "public_nodes")
  ],
  terms: termsOn("2026-11-25", "Data: monero.fail, https://monero.fail"),
  metrics: {
    public_nodes: headline(
      "count",
      "Public nodes of the main network that answered the site's last check and were not far behind, each address once."
    ),
    public_nodes_clear: breakdown(
      "count",
      "Public nodes that answered the last check, with a clear address, IPv6 included."
    ),
    public_nodes_onion: breakdown("count", "Public nodes that answered the last check, with a Tor address."),
    public_nodes_i2p: mayDropToZero(
      "count",
      "Public nodes that answered the last check, with an I2P address.",
      {
        role: "breakdown"
      }
    )
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
