import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { amount, count, largest } from "../../core/plugin/shapes/fields.ts"
import { mayDropToZero, metric } from "../../core/plugin/shapes/metric.ts"
import { wrapped } from "../../core/plugin/shapes/wrapped.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const page = "https://stats.renderfoundation.com"
const epochs: Upstream.Request = {
  ...Upstream.post("https://infra.shikumi.cc/api/v1/epochBurnStats", { start: 0 }),
  headers: { "content-type": "application/json", origin: page, referer: `${page}/` }
}

const Epochs = Schema.Array(Schema.Struct({ id: count, burnedRender: amount }))

/** Rows numbered from here on are none of the weekly epochs; the clients of the page leave them out. */
const noEpoch = 10_000

export default Plugin.define({
  id: "render",
  title: "Render nodes and frames",
  covers: { networks: ["RENDER"] },
  tier: "supply_telemetry",
  source: "render_foundation",
  hosts: ["stats.renderfoundation.com", "infra.shikumi.cc"],
  every: "6 hours",
  calls: 2,
  grade: "B",
  owner: "plumbline",
  metrics: {
    devices_total: metric("count", "Nodes that the foundation counts; a figure it renews rarely."),
    frames_total: metric("count", "Frames rendered since the start."),
    tokens_burned_epoch: mayDropToZero("tokens", "RENDER burnt in the newest epoch listed.")
  },
  collect: (observe) =>
    Plugin.anyOf("RENDER", [
      Effect.map(
        Upstream.json(`${page}/api/nodes_and_frames`, Schema.Struct({ nodes: count, frames: count })),
        (answer) => observe(answer, { devices_total: answer.body.nodes, frames_total: answer.body.frames })
      ),
      Effect.gen(function* () {
        const answer = yield* wrapped(epochs, ["data", "epochs"], Epochs)
        const rows = answer.body.filter(({ id }) => !(typeof id === "number" && id >= noEpoch))
        // Listed from old to new; where all are numbered, the highest is the newest whatever the order.
        const newest = largest(rows.map(({ id }) => id))
        const last = newest === undefined ? rows.at(-1) : rows.find(({ id }) => id === newest)
        return last === undefined
          ? yield* Upstream.implausible(answer, "", "no epoch listed")
          : observe(answer, { tokens_burned_epoch: last.burnedRender }, { verify_url: page })
      })
    ])
})
