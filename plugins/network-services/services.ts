/** The services that networks run themselves, one answer each, and where its figures are. */
import { breakdown, capacity, headline, metric, Upstream } from "#plugin"
import type { Source } from "#plugin/figures"

export const metrics = {
  nodes_online: headline("count", "Nodes that the network's own service calls online, active or ready."),
  nodes_known: capacity("count", "Nodes that the network's own service knows."),
  hosts_registered: capacity("count", "Hosts registered with the network."),
  hosts_inactive: breakdown("count", "Registered hosts that are not active."),
  gpus_online: headline("count", "GPUs online."),
  gpu_in_use: metric("count", "GPUs that are rented."),
  gpu_available: headline("count", "GPUs that are offered for rent now."),
  gpu_providers: capacity("count", "Providers with GPUs staked."),
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
  benchmark_jobs_total: metric("count", "Benchmark jobs that the operator paid for since the start."),
  workers_online: headline("count", "Workers of the network that are online."),
  workers_total: capacity("count", "Workers of the network, those that are registering among them."),
  storage_buckets_active: headline("count", "Storage buckets with an active operator."),
  sites_total: headline("count", "Launch sites of weather balloons that the network knows."),
  encryptions_per_second: metric(
    "count",
    "Encryptions a second of PacketCrypt mining, estimated by the explorer for a UTC day."
  ),
  validators_active: headline("count", "Validators that are active."),
  validators_total: capacity("count", "Validators of the network in all states."),
  price_feeds: headline(
    "count",
    "Price feeds on Ethereum that the operator publishes, hidden and deprecated ones among them."
  ),
  bakers_active: headline("count", "Bakers that are active."),
  storage_capacity_encoded_bytes: headline(
    "bytes",
    "Bytes that the network can store, counted as encoded: about five times the data that users store."
  ),
  storage_encoded_bytes: metric(
    "bytes",
    "Bytes that are stored, counted as encoded: about five times the data that users store."
  ),
  validators_delinquent: breakdown("count", "Validators that do not vote."),
  resource_nodes: headline("count", "Resource nodes, which store and serve, with their deposit bonded."),
  meta_nodes: capacity("count", "Meta nodes, which index what is stored, with their deposit bonded."),
  chains_served: capacity("count", "Chains that the network serves: those whose specification is enabled."),
  price_feeds_current: metric("count", "Price feeds that the validators keep up to date."),
  reputer_stake: metric("tokens", "Stake of reputers and their delegators, over all topics.")
}

export interface Service extends Source<keyof typeof metrics> {
  readonly symbol: string
  /** The page on which a person sees the figures. */
  readonly page: string
}

export const services: ReadonlyArray<Service> = [
  {
    symbol: "ALLO",
    ask: "https://allora-api.mainnet.allora.network/emissions/v9/total_stake",
    page: "https://explorer.allora.network",
    figures: { reputer_stake: { number: ["amount"], decimals: 18 } }
  },
  {
    symbol: "APT",
    ask: "https://fullnode.mainnet.aptoslabs.com/v1/accounts/0x1/resource/0x1::stake::ValidatorSet",
    page: "https://explorer.aptoslabs.com/validators",
    figures: { validators_active: { entries: ["data", "active_validators"], by: ["addr"] } }
  },
  {
    symbol: "AVAX",
    ask: Upstream.post("https://api.avax.network/ext/bc/P", {
      jsonrpc: "2.0",
      id: 1,
      method: "platform.getCurrentValidators",
      params: {}
    }),
    page: "https://subnets.avax.network/validators",
    figures: { validators_active: { entries: ["result", "validators"], by: ["nodeID"] } }
  },
  {
    symbol: "BAND",
    ask: "https://laozi1.bandchain.org/api/feeds/v1beta1/current_feeds",
    page: "https://www.bandchain.org",
    figures: { price_feeds_current: { entries: ["current_feeds", "feeds"], by: ["signal_id"] } }
  },
  {
    symbol: "BDX",
    ask: Upstream.post("https://explorer.beldex.io/json_rpc", {
      jsonrpc: "2.0",
      id: "0",
      method: "get_master_nodes",
      params: { fields: { master_node_pubkey: true, active: true, funded: true } }
    }),
    page: "https://explorer.beldex.io",
    figures: {
      nodes_online: {
        entries: ["result", "master_node_states"],
        by: ["master_node_pubkey"],
        where: { at: ["active"], is: [true] }
      },
      nodes_known: { entries: ["result", "master_node_states"], by: ["master_node_pubkey"] }
    }
  },
  {
    symbol: "CLORE",
    ask: "https://api.clore.ai/v1/marketplace",
    page: "https://clore.ai/marketplace",
    figures: {
      gpu_servers: { entries: ["servers"], by: ["id"] },
      gpu_servers_rented: { entries: ["servers"], by: ["id"], where: { at: ["rented"], is: [true] } }
    }
  },
  {
    symbol: "DAG",
    ask: "https://l0-lb-mainnet.constellationnetwork.io/cluster/info",
    page: "https://dagexplorer.io",
    figures: {
      nodes_online: { entries: [], by: ["id"], where: { at: ["state"], is: ["Ready"] } },
      nodes_known: { entries: [], by: ["id"] }
    }
  },
  {
    symbol: "DBC",
    ask: Upstream.post("https://httpinfo.dbcwallet.io", {
      jsonrpc: "2.0",
      id: 1,
      method: "onlineProfile_getOpInfo",
      params: []
    }),
    page: "https://www.dbchain.ai",
    figures: {
      gpus_online: { number: ["result", "totalGpuNum"] },
      gpu_in_use: { number: ["result", "totalRentedGpu"] },
      gpu_providers: { number: ["result", "totalStaker"] }
    }
  },
  {
    symbol: "EGLD",
    ask: "https://api.multiversx.com/stats",
    page: "https://explorer.multiversx.com",
    figures: {
      validators_active: { number: ["activeValidators"] },
      validators_total: { number: ["totalValidators"] }
    }
  },
  {
    symbol: "EVR",
    ask: "https://api.evernode.network/support/stats",
    page: "https://xahau.xrplwin.com/evernode",
    figures: {
      nodes_online: { number: ["active"] },
      hosts_registered: { number: ["hosts"] },
      hosts_inactive: { number: ["inactive"] }
    }
  },
  {
    symbol: "HOPR",
    ask: Upstream.asBrowser("https://network.hoprnet.org/api/getNodes?env=3"),
    page: "https://network.hoprnet.org",
    figures: { nodes_known: { entries: ["nodes"], by: ["address"] } },
    as_of: ["config", "lastRun"]
  },
  {
    symbol: "HYPE.HYPERLIQUID",
    ask: Upstream.post("https://api.hyperliquid.xyz/info", { type: "validatorSummaries" }),
    page: "https://app.hyperliquid.xyz/staking",
    figures: {
      validators_active: { entries: [], by: ["validator"], where: { at: ["isActive"], is: [true] } },
      validators_total: { entries: [], by: ["validator"] }
    }
  },
  {
    symbol: "JOY",
    ask: Upstream.post("https://query.joystream.org/graphql", {
      query: "{ storageBuckets(limit: 1000) { id operatorStatus { __typename } } }"
    }),
    page: "https://pioneerapp.xyz",
    figures: {
      storage_buckets_active: {
        entries: ["data", "storageBuckets"],
        by: ["id"],
        where: { at: ["operatorStatus", "__typename"], is: ["StorageBucketOperatorStatusActive"] },
        most: 1000
      }
    }
  },
  {
    symbol: "KOII",
    ask: Upstream.post("https://mainnet.koii.network", {
      jsonrpc: "2.0",
      id: 1,
      method: "getVoteAccounts",
      params: []
    }),
    page: "https://explorer.koii.live",
    figures: {
      validators_active: { entries: ["result", "current"], by: ["votePubkey"] },
      validators_delinquent: { entries: ["result", "delinquent"], by: ["votePubkey"], mayBeEmpty: true }
    }
  },
  {
    symbol: "LAVA",
    ask: "https://lava.rest.lava.build/lavanet/lava/spec/show_all_chains",
    page: "https://info.lavanet.xyz",
    figures: {
      chains_served: { entries: ["chainInfoList"], by: ["chainID"], where: { at: ["enabled"], is: [true] } }
    }
  },
  {
    symbol: "LINK",
    ask: "https://reference-data-directory.vercel.app/feeds-mainnet.json",
    page: "https://data.chain.link/feeds",
    figures: { price_feeds: { entries: [], by: ["proxyAddress"] } }
  },
  {
    symbol: "NEAR",
    ask: Upstream.post("https://rpc.mainnet.near.org", {
      jsonrpc: "2.0",
      id: 1,
      method: "validators",
      params: [null]
    }),
    page: "https://nearblocks.io/node-explorer",
    figures: { validators_active: { entries: ["result", "current_validators"], by: ["account_id"] } }
  },
  {
    symbol: "OCEAN",
    ask: "https://analytics.oncompute.ai/global-stats",
    page: "https://dashboard.oncompute.ai/stats",
    figures: {
      network_jobs_total: { number: ["totalNetworkJobs"] },
      network_revenue_total: { number: ["totalNetworkRevenue"] },
      benchmark_jobs_total: { number: ["totalBenchmarkJobs"] }
    }
  },
  {
    symbol: "PKT",
    ask: "https://explorer.pkt.cash/api/v1/PKT/pkt/packetcrypt/stats/1/2",
    page: "https://explorer.pkt.cash",
    figures: { encryptions_per_second: { number: ["results", "0", "encryptionsPerSecond"] } },
    as_of: ["results", "0", "date"],
    daily: true
  },
  {
    symbol: "SONDEHUB",
    ask: "https://api.v2.sondehub.org/sites",
    page: "https://sondehub.org",
    figures: { sites_total: { entries: [], by: ["station_name"] } }
  },
  {
    symbol: "SPHN",
    ask: "https://app.spheron.ai/api/gpu-offers?page=1&limit=60",
    page: "https://app.spheron.ai",
    figures: { gpu_available: { sum: ["gpuOffers"], of: ["totalAvailable"], by: ["gpuType"], most: 60 } }
  },
  {
    symbol: "SQD",
    ask: Upstream.post("https://subsquid.squids.live/subsquid-network-mainnet/graphql", {
      query:
        "{ all: workersConnection(orderBy: id_ASC) { totalCount } online: workersConnection(orderBy: id_ASC, where: { online_eq: true }) { totalCount } }"
    }),
    page: "https://network.subsquid.io",
    figures: {
      workers_online: { number: ["data", "online", "totalCount"] },
      workers_total: { number: ["data", "all", "totalCount"] }
    }
  },
  {
    symbol: "STOS",
    ask: "https://rest.thestratos.org/stratos/register/v1/resource_node_count",
    page: "https://explorer.thestratos.org",
    figures: { resource_nodes: { number: ["number"] } }
  },
  {
    symbol: "STOS",
    ask: "https://rest.thestratos.org/stratos/register/v1/meta_node_count",
    page: "https://explorer.thestratos.org",
    figures: { meta_nodes: { number: ["number"] } }
  },
  {
    symbol: "TIG",
    ask: "https://mainnet-api.tig.foundation/get-block",
    page: "https://www.tig.foundation/",
    figures: {
      benchmarkers_active: { number: ["block", "details", "num_active", "opow"] },
      benchmarks_active: { number: ["block", "details", "num_active", "benchmark"] },
      challenges_active: { number: ["block", "details", "num_active", "challenge"] },
      block_height: { number: ["block", "details", "height"] }
    },
    as_of: ["block", "details", "timestamp"]
  },
  {
    symbol: "TRX",
    ask: Upstream.post("https://api.trongrid.io/wallet/listwitnesses", {}),
    page: "https://tronscan.org/#/sr/representatives",
    figures: { validators_total: { entries: ["witnesses"], by: ["address"] } }
  },
  {
    symbol: "WAL",
    ask: Upstream.post("https://graphql.mainnet.sui.io/graphql", {
      query:
        "query ($objectId: SuiAddress!) { object(address: $objectId) { dynamicFields(first: 1) { nodes { value { ... on MoveValue { json } } } } } }",
      variables: { objectId: "0x2134d52768ea07e8c43570ef975eb3e4c27a39fa6396bef985b5abc58d03ddd2" }
    }),
    page: "https://walruscan.com",
    figures: {
      storage_encoded_bytes: {
        number: ["data", "object", "dynamicFields", "nodes", "0", "value", "json", "used_capacity_size"]
      },
      storage_capacity_encoded_bytes: {
        number: ["data", "object", "dynamicFields", "nodes", "0", "value", "json", "total_capacity_size"]
      }
    }
  },
  {
    symbol: "XRP",
    ask: "https://data.xrpl.org/v1/network/topology/nodes/main",
    page: "https://livenet.xrpl.org/network/nodes",
    figures: { nodes_online: { entries: ["nodes"], by: ["node_public_key"] } },
    must: { at: ["result"], be: "success" }
  },
  {
    symbol: "XTZ",
    ask: "https://api.tzkt.io/v1/delegates?active=true&limit=10000&select=address",
    page: "https://tzkt.io/bakers",
    figures: { bakers_active: { entries: [], by: [], most: 10000 } }
  }
]
