import { Effect, Schema } from "effect"
import { atMost, headline, metric, neverFalls, Plugin, readOn, termsOn, Upstream } from "#plugin"
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
  evidence: readOn("2026-11-25", {
    "Bobbycyborg/crypto-app-v4@284da406ff51a19c473ef1ad979be64fc755716b lib/v3/autojob01/feeds_live.py":
      "data, running_clusters, total_compute_hours_served, total_earnings, daily_earnings",
    "Bobbycyborg/crypto-app-v4@284da406ff51a19c473ef1ad979be64fc755716b lib/v3/io_stage1_loader.py":
      "data, running_clusters, total_compute_hours_served, total_earnings"
  }),
  metrics: {
    clusters_running: headline("count", "Clusters that run, as the network's explorer counts them."),
    compute_hours_total: metric("hours", "Compute hours that clusters were served since the start."),
    earnings_total_usd: metric(
      "usd",
      "What suppliers earned with clusters since the start, by the network's explorer; not the network's revenue."
    ),
    earnings_24h_usd: metric("usd", "What suppliers earned with clusters on the newest day that is over.")
  },
  relations: [
    neverFalls("compute_hours_total"),
    neverFalls("earnings_total_usd"),
    atMost("earnings_24h_usd", "earnings_total_usd")
  ],
  terms: termsOn("2026-11-25", "Data: io.net, explorer.io.net", {
    address: "https://io.net/terms",
    licence: "proprietary"
  }),
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
        const day = lastCompleteDay(rows, ({ date }) => date, yield* Upstream.now)
        const undated = rows.length > 0 && rows.every(({ date }) => date === null || date === undefined)
        const earnings_24h_usd = undated
          ? Upstream.unreadable("no row has a date: the last may be a day that still runs")
          : day?.row.daily_earnings
        return observe(answer, { earnings_24h_usd }, { as_of: day?.as_of })
      })
    ])
})
