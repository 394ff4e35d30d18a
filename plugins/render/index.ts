import { Schema } from "effect"
import { mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { amount, count, largest } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const page = "https://stats.renderfoundation.com"
const request: Upstream.Request = {
  ...Upstream.post("https://infra.shikumi.cc/api/v1/epochBurnStats", { start: 0 }),
  headers: { "content-type": "application/json", origin: page, referer: `${page}/` }
}
const Totals = Schema.Struct({ nodes: count, frames: count })
const Epochs = Schema.Array(Schema.Struct({ id: count, burnedRender: amount }))
const epochs = wrapped(request, ["data", "epochs"], Epochs)

export default Plugin.define({
  id: "render",
  title: "Render nodes and frames",
  covers: { networks: ["RENDER"] },
  source: "render_foundation",
  hosts: ["stats.renderfoundation.com", "infra.shikumi.cc"],
  every: "6 hours",
  calls: 2,
  grade: "B",
  metrics: {
    devices_total: metric("count", "Nodes that the foundation counts; a figure it renews rarely."),
    frames_total: metric("count", "Frames rendered since the start."),
    tokens_burned_epoch: mayDropToZero("tokens", "RENDER burnt in the newest epoch listed.")
  },
  collect: (observe) =>
    Plugin.anyOf("RENDER", [
      Plugin.one(observe, `${page}/api/nodes_and_frames`, Totals, ({ frames, nodes }) => ({
        devices_total: nodes,
        frames_total: frames
      })),
      Plugin.from(observe, epochs, { verify_url: page }, (body, answer) => {
        // Rows numbered from here on are none of the weekly epochs; the clients of the page leave them out.
        const rows = body.filter(({ id }) => !(typeof id === "number" && id >= 10_000))
        // Listed from old to new; where all are numbered, the highest is the newest whatever the order.
        const newest = largest(rows.map(({ id }) => id))
        const last = newest === undefined ? rows.at(-1) : rows.find(({ id }) => id === newest)
        if (last === undefined) return Upstream.implausible(answer, "", "no epoch listed")
        return { tokens_burned_epoch: last.burnedRender }
      })
    ])
})
