import { Effect, Schema } from "effect"
import {
  atMost,
  capacity,
  headline,
  mayDropToZero,
  metric,
  neverFalls,
  Plugin,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { count, distinct, moment, nonEmpty, object, positiveAmount } from "#plugin/fields"
import { priceMetrics } from "#plugin/gpus"
import { accountsOf, differentIn } from "#plugin/solana"
import { Market, pricesOf } from "./markets.ts"

const program = "nosNeZR64wiEhQc5j251bsP4WqDabT6hmz4PHyoHLGD"
/** Anchor discriminator of the program's NodeAccount (7da61292c37f56dc), in base58. */
const nodeAccount = "N1x6kpVdXxo"

const jobsProgram = "nosJhNRqr2bc9g1nfGDcXXTXvYUmxD4cVwy2pMWhrYM"
/** That of the RunAccount (c2a96ee6eb0be116), which exists while a node runs a job; its node stands after the job. */
const runAccount = "ZZTu8o6YwNM"
const nodeOfRun = { offset: 40, length: 32 }

const Jobs = Schema.Struct({ byState: object({ RUNNING: count, QUEUED: count, COMPLETED: count }) })

/** Seconds of the window that the indexer is asked for. */
const month = 30 * 24 * 3600
const Started = Schema.Struct({ total: count })

/** The indexer works these out now and then, in whole tokens, and says when. */
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
  calls: 6,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "nosana-ci/indexer@846aaba10ca8281f4abd2604ad788d7874b735e8 src/modules/jobs/service.ts:90":
      "byState, QUEUED, RUNNING, COMPLETED, STOPPED, total",
    "nosana-ci/indexer@846aaba10ca8281f4abd2604ad788d7874b735e8 src/repositories/jobs.repository.ts:294":
      "findTimeStartsSince, timeStart",
    "nosana-ci/indexer@846aaba10ca8281f4abd2604ad788d7874b735e8 src/modules/stats/service.ts:102":
      "nosStaked, stakers, amount, timeUnstake",
    "nosana-ci/indexer@846aaba10ca8281f4abd2604ad788d7874b735e8 src/db/tables/stats.ts:4": "date, nosStaked",
    "nosana-ci/nosana-kit@46c84f234d5c39c845d2319fca6b75f54784ba8d src/generated_clients/jobs/accounts/runAccount.ts:38":
      "discriminator, job, node",
    "nosana-ci/nosana-programs@1e2c2747b963cd183d5955fa4574006d3a03b9c9 programs/nosana-nodes/src/state.rs:10":
      "NodeAccount",
    "nosana-ci/nosana-dashboard@f347c80236dc52db908ca6e51345fc9e3d1a842a app/composables/useMarketPricing.ts:8":
      "usd_reward_per_hour"
  }),
  metrics: {
    jobs_running: metric("count", "Jobs that run, by the operator's index of the chain."),
    jobs_queued: mayDropToZero("count", "Jobs that wait for a node."),
    jobs_completed_total: metric(
      "count",
      "Jobs ever completed, since the operator's index began; stopped ones are not among them."
    ),
    jobs_30d: metric("count", "Jobs that started within the 30 days before the reading, however they ended."),
    nodes_online: headline("count", "Nodes that run at least one job; not the registered fleet."),
    staked_amount: metric(
      "tokens",
      "NOS locked in staking accounts, in whole tokens; of stakes that are withdrawn, the share that is still locked."
    ),
    gpu_markets: metric("count", "GPU markets of every type that the operator lists."),
    nodes_registered: capacity(
      "count",
      "Node accounts of the network's program on Solana, of nodes that work or not."
    ),
    ...priceMetrics(
      "What a node earns in an hour with the GPU whose model ends the name: the mean of the open markets for it; the network's fee comes on top."
    )
  },
  relations: [neverFalls("jobs_completed_total"), atMost("nodes_online", "jobs_running", { tolerance: 0.2 })],
  terms: termsOn("2026-11-25", "Data: Nosana, nosana.com"),
  collect: (observe) =>
    Effect.gen(function* () {
      const indexer = yield* Upstream.setting("indexer_url")
      const markets = yield* Upstream.setting("markets_url")
      const solana = yield* Upstream.setting("solana_rpc_url")
      return yield* Plugin.anyOf("NOS", [
        Plugin.one(observe, `${indexer}/jobs/count`, Jobs, ({ byState }) => ({
          jobs_running: byState?.RUNNING,
          jobs_queued: byState?.QUEUED,
          jobs_completed_total: byState?.COMPLETED
        })),
        Plugin.one(observe, `${indexer}/jobs/stats/timestamps?period=${month}`, Started, ({ total }) => ({
          jobs_30d: Upstream.zeroIsBroken(total)
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
        ),
        Plugin.from(
          observe,
          differentIn(solana, jobsProgram, runAccount, nodeOfRun),
          { source: "nosana_program" },
          (nodes_online) => ({ nodes_online })
        )
      ])
    })
})
