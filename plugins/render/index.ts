import { Schema } from "effect"
import { endOfDay, headline, mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { amount, count, largest, moment } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const page = "https://stats.renderfoundation.com"
const request: Upstream.Request = {
  ...Upstream.post("https://infra.shikumi.cc/api/v1/epochBurnStats", { start: 0 }),
  headers: { "content-type": "application/json", origin: page, referer: `${page}/` }
}
const Totals = Schema.Struct({ nodes: count, frames: count })
const Epochs = Schema.Array(Schema.Struct({ id: count, endDate: moment, burnedRender: amount }))
const epochs = wrapped(request, ["data", "epochs"], Epochs)

/** The newest epoch that is over; undefined where one does not tell its end, for it may be that. */
const newestOf = (listed: typeof Epochs.Type, { at }: Upstream.Answer<unknown>) => {
  // Rows numbered from here on are none of the weekly epochs; the clients of the page leave them out.
  const rows = listed.filter(({ id }) => !(typeof id === "number" && id >= 10_000))
  if (rows.some(({ endDate }) => !Number.isFinite(endDate))) return undefined
  const over = rows.filter(({ endDate }) => (endDate ?? at) <= at)
  const end = largest(over.map(({ endDate }) => endDate))
  return over.find(({ endDate }) => endDate === end)
}

/** An epoch ends at the midnight with which the next one begins: its last moment is of the day before. */
const lastMomentOf = (epoch: ReturnType<typeof newestOf>) =>
  typeof epoch?.endDate === "number" ? endOfDay(epoch.endDate - 1) : undefined

export default Plugin.define({
  id: "render",
  title: "Render nodes and frames",
  covers: { networks: ["RENDER"] },
  source: "render_foundation",
  hosts: ["stats.renderfoundation.com", "infra.shikumi.cc"],
  every: "6 hours",
  calls: 2,
  grade: "B",
  evidence: { source: "stored clients of the Render Foundation's statistics page", read: "2026-11-20" },
  metrics: {
    devices_total: headline("count", "Nodes that the foundation counts; a figure it renews rarely."),
    frames_total: metric("count", "Frames rendered since the start."),
    tokens_burned_epoch: mayDropToZero("tokens", "RENDER burnt in the newest epoch that is over, a week.")
  },
  collect: (observe) =>
    Plugin.anyOf("RENDER", [
      Plugin.one(observe, `${page}/api/nodes_and_frames`, Totals, ({ frames, nodes }) => ({
        devices_total: nodes,
        frames_total: frames
      })),
      Plugin.from(
        observe,
        epochs,
        { verify_url: page, as_of: (body, answer) => lastMomentOf(newestOf(body, answer)) },
        (body, answer) => {
          const newest = newestOf(body, answer)
          return newest === undefined
            ? Upstream.implausible(answer, "", "no epoch listed, or one without its end")
            : { tokens_burned_epoch: newest.burnedRender }
        }
      )
    ])
})
