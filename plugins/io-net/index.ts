import { Effect, Schema } from "effect"
import { headline, metric, Plugin, Upstream } from "#plugin"
import { lastCompleteDay } from "#plugin/days"
import { count, moment, nonEmpty, number, object } from "#plugin/fields"

const info = "https://api.io.solutions/v1/io-explorer/network/info"
const clusters = Upstream.asBrowser(`${info}/clusters`)
const earnings = Upstream.asBrowser(`${info}/cluster/total-earnings-summary`)
const Totals = object({ running_clusters: count, total_compute_hours_served: number, total_earnings: number })
const Days = nonEmpty(Schema.Struct({ date: moment, daily_earnings: number }))

export default Plugin.define({
  id: "io-net",
  title: "io.net clusters and earnings",
  covers: { networks: ["IO"] },
  source: "io_explorer",
  tier: "supply_telemetry",
  hosts: ["api.io.solutions"],
  every: "1 hour",
  timeout: "2 minutes",
  calls: 2,
  grade: "B",
  evidence: [{ source: "a stored client of the io.net explorer API", read: "2026-11-20", members: [] }],
  metrics: {
    clusters_running: headline("count", "Clusters that run."),
    compute_hours_total: metric("hours", "Compute hours served since the start."),
    earnings_total_usd: metric("usd", "Earnings since the start."),
    earnings_24h_usd: metric("usd", "Earnings of the newest day that is over.")
  },
  collect: (observe) =>
    Plugin.anyOf("IO", [
      Plugin.one(observe, clusters, Schema.Struct({ data: Totals }), ({ data }, answer) =>
        data?.total_compute_hours_served === 0
          ? Upstream.implausible(
              answer,
              `["data"]["total_compute_hours_served"]`,
              "0, of what counts since the start"
            )
          : {
              clusters_running: data?.running_clusters,
              compute_hours_total: data?.total_compute_hours_served,
              earnings_total_usd: data?.total_earnings
            }
      ),
      Effect.gen(function* () {
        const answer = yield* Upstream.json(earnings, Schema.Struct({ data: Upstream.maybe(Days) }))
        const rows = answer.body.data ?? []
        // Rows go from old to new; where they are dated, the last may be a day that still runs.
        const dated = rows.some(({ date }) => date !== null && date !== undefined)
        const day = lastCompleteDay(rows, ({ date }) => date, yield* Upstream.now)
        const row = dated ? day?.row : rows.at(-1)
        return observe(answer, { earnings_24h_usd: row?.daily_earnings }, { as_of: day?.as_of })
      })
    ])
})
