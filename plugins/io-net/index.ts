import { atMost, flow, headline, metric, neverFalls, readOn, termsOn, Upstream } from "#plugin"
import { declare } from "#plugin/declare"

const info = "https://api.io.solutions/v1/io-explorer/network/info"

export default declare({
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
    earnings_24h_usd: metric("usd", "What suppliers earned with clusters on the newest day that is over."),
    paid_out_24h_usd: flow("usd", "What suppliers earned with clusters on the newest day that is over.", {
      rung: "stated",
      at: "daily_earnings of the newest entry whose day is over, in https://api.io.solutions/v1/io-explorer/network/info/cluster/total-earnings-summary",
      formula: "daily_earnings",
      without: "Rewards for blocks, and what clusters paid to the network itself.",
      code: "Bobbycyborg/crypto-app-v4@284da406ff51a19c473ef1ad979be64fc755716b lib/v3/io_stage1_loader.py"
    }),
    paid_out_total_usd: flow("usd", "What suppliers earned with clusters since the start.", {
      rung: "stated",
      at: "data.total_earnings of https://api.io.solutions/v1/io-explorer/network/info/clusters",
      formula: "data.total_earnings",
      without: "Rewards for blocks, and what clusters paid to the network itself.",
      code: "Bobbycyborg/crypto-app-v4@284da406ff51a19c473ef1ad979be64fc755716b lib/v3/io_stage1_loader.py"
    })
  },
  relations: [
    neverFalls("compute_hours_total"),
    neverFalls("earnings_total_usd"),
    neverFalls("paid_out_total_usd"),
    atMost("earnings_24h_usd", "earnings_total_usd")
  ],
  terms: termsOn("2026-11-25", "Data: io.net, explorer.io.net", {
    address: "https://io.net/terms",
    licence: "proprietary"
  }),
  answers: [
    {
      ask: Upstream.asBrowser(`${info}/clusters`),
      under: "data",
      // It counts since the start.
      positive: ["total_compute_hours_served"],
      figures: {
        clusters_running: "running_clusters",
        compute_hours_total: "total_compute_hours_served",
        earnings_total_usd: "total_earnings",
        paid_out_total_usd: "total_earnings"
      }
    },
    {
      ask: Upstream.asBrowser(`${info}/cluster/total-earnings-summary`),
      newest: { of: "data", at: "date" },
      daily: true,
      figures: { earnings_24h_usd: "daily_earnings", paid_out_24h_usd: "daily_earnings" }
    }
  ]
})
