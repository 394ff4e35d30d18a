import { Effect, Schema } from "effect"
import { capacity, headline, mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { count, distinct, moment, nonEmpty, object, positiveAmount } from "#plugin/fields"
import { priceMetrics } from "#plugin/gpus"
import { accountsOf } from "#plugin/solana"
import { Market, pricesOf } from "./markets.ts"

const program = "nosNeZR64wiEhQc5j251bsP4WqDabT6hmz4PHyoHLGD"
/** Anchor discriminator of the program's NodeAccount (7da61292c37f56dc), in base58. */
const nodeAccount = "N1x6kpVdXxo"

const Jobs = Schema.Struct({
  byState: object({ RUNNING: count, QUEUED: count, COMPLETED: count }),
  last30Days: count,
  distinctNodesWithRunningJobs: count
})

/** The indexer works these out now and then, and says when; in some versions whole tokens as text. */
const Stats = Schema.Struct({ date: moment, nosStaked: positiveAmount })

export default Plugin.define({
  id: "nosana",
  title: "Nosana jobs and nodes",
  covers: { networks: ["NOS"] },
  source: "nosana_indexer",
  tier: "supply_telemetry",
  sources: ["nosana_markets", "nosana_program"],
  hosts: [
    "blockchain-indexer.k8s.prd.nos.ci",
    "host-manager.k8s.prd.nosana.com",
    "api.mainnet-beta.solana.com"
  ],
  settings: {
    indexer_url: "https://blockchain-indexer.k8s.prd.nos.ci",
    markets_url: "https://host-manager.k8s.prd.nosana.com/markets/",
    solana_rpc_url: "https://api.mainnet-beta.solana.com"
  },
  every: "15 minutes",
  calls: 4,
  grade: "B",
  evidence: [
    {
      source: "stored clients of the Nosana indexer and of its program's node accounts",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    jobs_running: metric("count", "Jobs that run."),
    jobs_queued: mayDropToZero("count", "Jobs that wait for a node."),
    jobs_completed_total: metric("count", "Jobs ever completed."),
    jobs_30d: metric("count", "Jobs of the last 30 days."),
    nodes_online: headline("count", "Nodes that run at least one job; not the registered fleet."),
    staked_amount: metric("tokens", "NOS staked."),
    gpu_markets: metric("count", "GPU markets."),
    nodes_registered: capacity("count", "Node accounts of the network's program on Solana."),
    ...priceMetrics(
      "What a node earns in an hour with the GPU whose model ends the name: the mean of the open markets for it; the network's fee comes on top."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const indexer = yield* Upstream.setting("indexer_url")
      const markets = yield* Upstream.setting("markets_url")
      const solana = yield* Upstream.setting("solana_rpc_url")
      return yield* Plugin.anyOf("NOS", [
        Plugin.one(observe, `${indexer}/jobs/count`, Jobs, ({ byState, ...jobs }) => ({
          jobs_running: byState?.RUNNING,
          jobs_queued: byState?.QUEUED,
          jobs_completed_total: byState?.COMPLETED,
          jobs_30d: jobs.last30Days,
          nodes_online: jobs.distinctNodesWithRunningJobs
        })),
        Plugin.one(observe, `${indexer}/stats/`, Stats, { as_of: ({ date }) => date }, ({ nosStaked }) => ({
          staked_amount: nosStaked
        })),
        Plugin.one(observe, markets, nonEmpty(Market), { source: "nosana_markets" }, (listed) => {
          const open = distinct(listed, ({ address }) => address)
          return { gpu_markets: open.length, ...pricesOf(open) }
        }),
        Plugin.from(
          observe,
          accountsOf(solana, program, nodeAccount),
          { source: "nosana_program" },
          (nodes_registered) => ({ nodes_registered })
        )
      ])
    })
})
