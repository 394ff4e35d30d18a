/** What the services that networks run themselves count. */
import { breakdown, capacity, flow, headline, metric } from "#plugin"

export const metrics = {
  nodes_online: headline(
    "count",
    "Nodes that the network's own service calls active or ready, or that its crawl reached in the last hour (XRP Ledger)."
  ),
  nodes_known: capacity("count", "Nodes that the network's own service lists, reachable or not."),
  hosts_registered: capacity("count", "Hosts registered with the network."),
  hosts_inactive: breakdown("count", "Registered hosts that are not active."),
  gpus_online: headline("count", "GPUs that the chain counts as online."),
  gpu_in_use: metric("count", "GPUs that are rented."),
  gpu_providers: capacity("count", "Providers with at least one GPU online."),
  gpu_servers: capacity("count", "Servers with GPUs that the market lists."),
  gpu_servers_rented: metric("count", "Listed servers that are rented."),
  benchmarkers_active: headline("count", "Benchmarkers that take part in the newest block."),
  benchmarks_active: metric("count", "Benchmarks that count in the newest block."),
  challenges_active: metric("count", "Challenges open in the newest block."),
  block_height: metric("block", "Height of the newest block."),
  network_jobs_total: metric(
    "count",
    "Compute jobs that users paid for since the start; benchmark jobs of the operator are left out."
  ),
  network_revenue_total: metric(
    "usd",
    "What users paid for compute jobs since the start, in USDC; what the operator paid for benchmarks is left out."
  ),
  earned_total_usd: flow("usd", "What users paid for compute jobs since the start, in USDC.", {
    OCEAN: {
      rung: "stated",
      at: "totalNetworkRevenue of https://analytics.oncompute.ai/global-stats",
      formula: "totalNetworkRevenue",
      without: "What the operator paid for benchmarks (totalBenchmarkRevenue), and jobs that cost nothing.",
      code: "oceanprotocol/nodes-dashboard@bb82fb7d src/context/stats-context.tsx:112",
      recomputed:
        "Epoch 2935, from an answer that a public description of the interface quotes: 1,675.1127176547332 dollars."
    }
  }),
  earned_total: flow(
    "tokens",
    "DBC that renters of GPUs have paid since the start: to owners of machines until the chain began to burn it, and burnt since.",
    {
      DBC: {
        rung: "chain_read",
        at: "SysInfo of the pallet onlineProfile, as a node tells it by the method onlineProfile_getOpInfo: result.totalRentFee and result.totalBurnFee",
        formula: "(result.totalRentFee + result.totalBurnFee) / 10^15",
        without: "Rents by contracts on the chain's EVM, which came later and do not count here.",
        code: "DeepBrainChain/DeepBrainChain-MainChain@01def061709d0cf476cd3528f1c5fd0e53056448 pallets/online-profile/src/types/basic.rs",
        recomputed:
          "218 GPUs online, before rents were burnt, from the answer in the chain's own documentation: 3,928,735.309068010075566 DBC."
      }
    }
  ),
  paid_out_block: flow(
    "tokens",
    "TIG that the newest block pays to those who compute, to who delegates to them, and for code and advances that they use.",
    {
      TIG: {
        rung: "stated",
        at: "block.details.emissions of https://mainnet-api.tig.foundation/get-block, the network's own engine",
        formula:
          "(block.details.emissions.benchmarker + block.details.emissions.delegator + block.details.emissions.code + block.details.emissions.advance) / 10^18",
        without: "The shares of the vault, of bootstrapping and of owners of challenges.",
        code: "tig-foundation/tig-monorepo@e1ebd484 tig-protocol/src/contracts/rewards.rs:188"
      }
    }
  ),
  paid_out_total: flow(
    "tokens",
    "STOS mined since the start: what the chain has paid for traffic and to validators.",
    {
      STOS: {
        rung: "chain_read",
        at: "the state of the module pot, as a node tells it at /stratos/pot/v1/metrics: metrics.total_mined_tokens",
        formula: "metrics.total_mined_tokens / 10^18",
        without: "What users prepaid, which is paid on to resource nodes beside what is mined.",
        code: "stratosnet/stratos-chain@c57f1a2a proto/stratos/pot/v1/pot.proto"
      }
    }
  ),
  benchmark_jobs_total: metric("count", "Benchmark jobs that the operator paid for since the start."),
  workers_online: headline("count", "Workers with an active registration that are online."),
  workers_total: capacity("count", "Workers with an active registration, online or not."),
  storage_buckets_active: headline(
    "count",
    "Storage buckets with an active operator, as the indexer lists them."
  ),
  sites_total: headline("count", "Launch sites of weather balloons that the network lists."),
  encryptions_per_second: metric(
    "count",
    "Encryptions a second of PacketCrypt mining, estimated by the explorer for a UTC day."
  ),
  validators_active: headline(
    "count",
    "Validators that are active: in the set of the epoch, voting, or (MultiversX) online and eligible or waiting."
  ),
  validators_total: capacity(
    "count",
    "Validators that the network lists, active or not; of MultiversX those that are eligible, waiting or qualified in the auction."
  ),
  price_feeds: headline(
    "count",
    "Data feeds on Ethereum that the operator publishes: prices, reserves and rates, hidden and deprecated ones among them."
  ),
  bakers_active: headline("count", "Bakers that are active."),
  storage_capacity_encoded_bytes: headline(
    "bytes",
    "Bytes that the network can store, counted as encoded: about five times the data that users store."
  ),
  storage_encoded_bytes: metric(
    "bytes",
    "Bytes that users have bought for the epoch, filled or not, counted as encoded: about five times the data that they can store."
  ),
  validators_delinquent: breakdown("count", "Validators that do not vote."),
  resource_nodes: headline(
    "count",
    "Resource nodes, which store and serve, with their deposit bonded, by the chain's own counter."
  ),
  meta_nodes: capacity(
    "count",
    "Meta nodes, which index what is stored, with their deposit bonded, by the chain's own counter."
  ),
  chains_served: capacity("count", "Chains that the network serves: those whose specification is enabled."),
  price_feeds_current: metric(
    "count",
    "Price feeds that the validators keep up to date: those with enough votes, up to the chain's limit."
  ),
  reputer_stake: metric("tokens", "Stake of reputers and their delegators, over all topics.")
}
