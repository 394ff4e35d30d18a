/** The services that networks run themselves, one answer each, and where its figures are. */
import { type Evidence, Upstream } from "#plugin"
import type { Entry } from "#plugin/declare"
import type { metrics } from "./metrics.ts"

const readIn = (source: string, ...members: ReadonlyArray<string>): Evidence => ({
  source,
  read: "2026-11-25",
  members
})

export const services: ReadonlyArray<Entry<keyof typeof metrics>> = [
  {
    symbol: "ALLO",
    evidence: [readIn("allora-network/allora-chain@c8a40c35 x/emissions/keeper/keeper.go:2024", "amount")],
    ask: "https://allora-api.mainnet.allora.network/emissions/v9/total_stake",
    others: ["https://allora-api.polkachu.com/emissions/v9/total_stake"],
    verify_url: "https://explorer.allora.network",
    figures: { reputer_stake: { number: "amount", decimals: 18 } }
  },
  {
    symbol: "APT",
    evidence: [
      readIn(
        "aptos-labs/aptos-core@009e7586 aptos-move/framework/aptos-framework/doc/stake.md",
        "active_validators",
        "addr"
      )
    ],
    ask: "https://fullnode.mainnet.aptoslabs.com/v1/accounts/0x1/resource/0x1::stake::ValidatorSet",
    verify_url: "https://explorer.aptoslabs.com/validators",
    figures: { validators_active: { entries: "data.active_validators", by: "addr" } }
  },
  {
    symbol: "AVAX",
    evidence: [
      readIn("ava-labs/avalanchego@1cf1fc3d vms/platformvm/api/validator.go:23", "validators", "nodeID")
    ],
    ask: Upstream.post("https://api.avax.network/ext/bc/P", {
      jsonrpc: "2.0",
      id: 1,
      method: "platform.getCurrentValidators",
      params: {}
    }),
    verify_url: "https://subnets.avax.network/validators",
    figures: { validators_active: { entries: "result.validators", by: "nodeID" } }
  },
  {
    symbol: "BAND",
    evidence: [
      readIn(
        "bandprotocol/chain@cb3517b3 x/feeds/keeper/keeper_feed.go:30",
        "current_feeds",
        "feeds",
        "signal_id"
      )
    ],
    ask: "https://laozi1.bandchain.org/api/feeds/v1beta1/current_feeds",
    others: ["https://band-api.polkachu.com/feeds/v1beta1/current_feeds"],
    verify_url: "https://www.bandchain.org",
    figures: { price_feeds_current: { entries: "current_feeds.feeds", by: "signal_id" } }
  },
  {
    symbol: "BDX",
    evidence: [
      readIn(
        "Beldex-Coin/beldex@38e6f19f src/rpc/core_rpc_server.cpp:2954",
        "master_node_states",
        "master_node_pubkey",
        "active"
      )
    ],
    ask: Upstream.post("https://explorer.beldex.io/json_rpc", {
      jsonrpc: "2.0",
      id: "0",
      method: "get_master_nodes",
      params: { fields: { master_node_pubkey: true, active: true, funded: true } }
    }),
    verify_url: "https://explorer.beldex.io",
    figures: {
      nodes_online: {
        entries: "result.master_node_states",
        by: "master_node_pubkey",
        where: { at: "active", is: [true] }
      },
      nodes_known: { entries: "result.master_node_states", by: "master_node_pubkey" }
    }
  },
  {
    symbol: "CLORE",
    evidence: [readIn("vladpuz/cloreai@b965ff1d src/resources/marketplace.ts", "servers", "id", "rented")],
    ask: "https://api.clore.ai/v1/marketplace",
    verify_url: "https://clore.ai/marketplace",
    figures: {
      gpu_servers: { entries: "servers", by: "id" },
      gpu_servers_rented: { entries: "servers", by: "id", where: { at: "rented", is: [true] } }
    }
  },
  {
    symbol: "DAG",
    evidence: [
      readIn(
        "Constellation-Labs/tessellation@098dbbe6 modules/node-shared/src/main/scala/io/constellationnetwork/node/shared/http/routes/ClusterRoutes.scala:96",
        "id",
        "state"
      )
    ],
    ask: "https://l0-lb-mainnet.constellationnetwork.io/cluster/info",
    verify_url: "https://dagexplorer.io",
    figures: {
      nodes_online: { entries: "", by: "id", where: { at: "state", is: ["Ready"] } },
      nodes_known: { entries: "", by: "id" }
    }
  },
  {
    symbol: "DBC",
    evidence: [
      readIn(
        "DeepBrainChain/DeepBrainChain-MainChain@d03734c2 pallets/online-profile/src/types/basic.rs:117",
        "total_gpu_num",
        "total_rented_gpu",
        "total_staker",
        "total_rent_fee",
        "total_burn_fee"
      )
    ],
    ask: Upstream.post("https://httpinfo.dbcwallet.io", {
      jsonrpc: "2.0",
      id: 1,
      method: "onlineProfile_getOpInfo",
      params: []
    }),
    verify_url: "https://www.dbchain.ai",
    figures: {
      gpus_online: { number: "result.totalGpuNum" },
      gpu_in_use: { number: "result.totalRentedGpu" },
      gpu_providers: { number: "result.totalStaker" },
      earned_total: { plus: ["result.totalRentFee", "result.totalBurnFee"], decimals: 15 }
    }
  },
  {
    symbol: "EGLD",
    evidence: [
      readIn(
        "multiversx/mx-api-service@fe23ca8d src/endpoints/stake/stake.service.ts:105",
        "totalValidators",
        "activeValidators"
      )
    ],
    ask: "https://api.multiversx.com/stake",
    verify_url: "https://explorer.multiversx.com",
    figures: {
      validators_active: { number: "activeValidators" },
      validators_total: { number: "totalValidators" }
    }
  },
  {
    symbol: "EVR",
    evidence: [
      readIn("KeksikMan/EvernodeStats_bot@48be10f4 handlers/callbacks.py", "hosts", "active", "inactive")
    ],
    ask: "https://api.evernode.network/support/stats",
    verify_url: "https://xahau.xrplwin.com/evernode",
    figures: {
      nodes_online: { number: "active" },
      hosts_registered: { number: "hosts" },
      hosts_inactive: { number: "inactive" }
    }
  },
  {
    symbol: "HOPR",
    evidence: [
      readIn(
        "gnosischain/click-runner@f2572bef ingestors/hopr_network_ingestor.py",
        "config",
        "lastRun",
        "nodes",
        "address"
      )
    ],
    ask: Upstream.asBrowser("https://network.hoprnet.org/api/getNodes?env=3"),
    verify_url: "https://network.hoprnet.org",
    figures: { nodes_known: { entries: "nodes", by: "address" } },
    as_of: "config.lastRun"
  },
  {
    symbol: "HYPE.HYPERLIQUID",
    evidence: [
      readIn(
        "nktkas/hyperliquid@2e5f0f09 src/api/info/_methods/validatorSummaries.ts",
        "validator",
        "isActive"
      )
    ],
    ask: Upstream.post("https://api.hyperliquid.xyz/info", { type: "validatorSummaries" }),
    verify_url: "https://app.hyperliquid.xyz/staking",
    figures: {
      validators_active: { entries: "", by: "validator", where: { at: "isActive", is: [true] } },
      validators_total: { entries: "", by: "validator" }
    }
  },
  {
    symbol: "JOY",
    evidence: [
      readIn(
        "Joystream/joystream@3862e7e0 query-node/schemas/storage.graphql:9",
        "operatorStatus",
        "StorageBucketOperatorStatusActive"
      )
    ],
    ask: Upstream.post("https://query.joystream.org/graphql", {
      query: "{ storageBuckets(limit: 1000) { id operatorStatus { __typename } } }"
    }),
    verify_url: "https://pioneerapp.xyz",
    figures: {
      storage_buckets_active: {
        entries: "data.storageBuckets",
        by: "id",
        where: { at: "operatorStatus.__typename", is: ["StorageBucketOperatorStatusActive"] },
        most: 1000
      }
    }
  },
  {
    symbol: "KOII",
    evidence: [
      readIn("https://solana.com/docs/rpc/http/getvoteaccounts.md", "current", "delinquent", "votePubkey")
    ],
    ask: Upstream.post("https://mainnet.koii.network", {
      jsonrpc: "2.0",
      id: 1,
      method: "getVoteAccounts",
      params: []
    }),
    verify_url: "https://explorer.koii.live",
    figures: {
      validators_active: { entries: "result.current", by: "votePubkey" },
      validators_delinquent: { entries: "result.delinquent", by: "votePubkey", mayBeEmpty: true }
    }
  },
  {
    symbol: "LAVA",
    evidence: [
      readIn(
        "lavanet/lava@5dbc50a6 x/spec/keeper/grpc_query_show_all_chains.go:14",
        "chainInfoList",
        "chainID",
        "enabled"
      )
    ],
    ask: "https://lava-rest.publicnode.com/lavanet/lava/spec/show_all_chains",
    others: ["https://lava-api.polkachu.com/lavanet/lava/spec/show_all_chains"],
    verify_url: "https://info.lavanet.xyz",
    figures: {
      chains_served: { entries: "chainInfoList", by: "chainID", where: { at: "enabled", is: [true] } }
    }
  },
  {
    symbol: "LINK",
    evidence: [
      readIn("smartcontractkit/documentation@59e5cde7 src/features/data/chains.ts:266", "feeds-mainnet"),
      readIn("smartcontractkit/documentation@59e5cde7 src/features/data/api/index.ts:32", "contractAddress")
    ],
    ask: "https://reference-data-directory.vercel.app/feeds-mainnet.json",
    verify_url: "https://data.chain.link/feeds",
    figures: { price_feeds: { entries: "", by: "contractAddress" } }
  },
  {
    symbol: "NEAR",
    evidence: [
      readIn("https://docs.near.org/api/rpc/network", "validators"),
      readIn("https://www.quicknode.com/nl/docs/near/validators", "current_validators", "account_id")
    ],
    ask: Upstream.post("https://free.rpc.fastnear.com", {
      jsonrpc: "2.0",
      id: 1,
      method: "validators",
      params: [null]
    }),
    others: ["https://rpc.mainnet.near.org"],
    verify_url: "https://nearblocks.io/node-explorer",
    figures: { validators_active: { entries: "result.current_validators", by: "account_id" } }
  },
  {
    symbol: "OCEAN",
    evidence: [
      readIn(
        "oceanprotocol/nodes-dashboard@bb82fb7d src/context/stats-context.tsx:112",
        "totalNetworkJobs",
        "totalNetworkRevenue",
        "totalBenchmarkJobs"
      )
    ],
    ask: "https://analytics.oncompute.ai/global-stats",
    verify_url: "https://dashboard.oncompute.ai/stats",
    figures: {
      network_jobs_total: { number: "totalNetworkJobs" },
      network_revenue_total: { number: "totalNetworkRevenue" },
      earned_total_usd: { number: "totalNetworkRevenue" },
      benchmark_jobs_total: { number: "totalBenchmarkJobs" }
    }
  },
  {
    symbol: "PKT",
    evidence: [
      readIn("pkt-cash/pkt-explorer-backend@3129bb26 server.js:383", "date", "encryptionsPerSecond")
    ],
    ask: "https://explorer.pkt.cash/api/v1/PKT/pkt/packetcrypt/stats/1/2",
    verify_url: "https://explorer.pkt.cash",
    figures: { encryptions_per_second: { number: "results.0.encryptionsPerSecond" } },
    as_of: "results.0.date",
    daily: true
  },
  {
    symbol: "SONDEHUB",
    evidence: [readIn("projecthorus/sondehub-infra@262d29a5 lambda/query/__init__.py:398", "station")],
    ask: "https://api.v2.sondehub.org/sites",
    verify_url: "https://sondehub.org",
    figures: { sites_total: { entries: "", by: "station" } }
  },
  {
    symbol: "SQD",
    evidence: [
      readIn(
        "subsquid/squid-subsquid-network@336104c9 packages/workers/schema.graphql:59",
        "Worker",
        "status",
        "online"
      ),
      readIn(
        "subsquid/squid-subsquid-network@336104c9 packages/workers/src/server-extension/resolvers/summary.ts:114",
        "status",
        "online"
      )
    ],
    ask: Upstream.post("https://subsquid.squids.live/subsquid-network-mainnet/graphql", {
      query:
        "{ all: workersConnection(orderBy: id_ASC, where: { status_eq: ACTIVE }) { totalCount } online: workersConnection(orderBy: id_ASC, where: { status_eq: ACTIVE, online_eq: true }) { totalCount } }"
    }),
    verify_url: "https://network.subsquid.io",
    figures: {
      workers_online: { number: "data.online.totalCount" },
      workers_total: { number: "data.all.totalCount" }
    }
  },
  {
    symbol: "STOS",
    evidence: [readIn("stratosnet/stratos-chain@c57f1a2a x/register/keeper/grpc_query.go:77", "number")],
    ask: "https://rest.thestratos.org/stratos/register/v1/resource_node_count",
    others: ["https://api.stratos.nodestake.org/stratos/register/v1/resource_node_count"],
    verify_url: "https://explorer.thestratos.org",
    figures: { resource_nodes: { number: "number", decimals: 0 } }
  },
  {
    symbol: "STOS",
    evidence: [],
    ask: "https://rest.thestratos.org/stratos/register/v1/meta_node_count",
    others: ["https://api.stratos.nodestake.org/stratos/register/v1/meta_node_count"],
    verify_url: "https://explorer.thestratos.org",
    figures: { meta_nodes: { number: "number", decimals: 0 } }
  },
  {
    symbol: "STOS",
    evidence: [
      readIn("stratosnet/stratos-chain@c57f1a2a proto/stratos/pot/v1/pot.proto", "total_mined_tokens")
    ],
    ask: "https://rest.thestratos.org/stratos/pot/v1/metrics",
    others: ["https://api.stratos.nodestake.org/stratos/pot/v1/metrics"],
    verify_url: "https://explorer.thestratos.org",
    figures: { paid_out_total: { number: "metrics.total_mined_tokens", decimals: 18 } }
  },
  {
    symbol: "TIG",
    evidence: [
      readIn(
        "tig-foundation/tig-monorepo@e1ebd484 swagger.yaml:954",
        "height",
        "num_active",
        "opow",
        "benchmark",
        "challenge",
        "timestamp",
        "emissions"
      ),
      readIn(
        "tig-foundation/tig-monorepo@e1ebd484 tig-protocol/src/contracts/rewards.rs:188",
        "Benchmarker",
        "Delegator",
        "Code",
        "Advance"
      )
    ],
    ask: "https://mainnet-api.tig.foundation/get-block",
    verify_url: "https://www.tig.foundation/",
    figures: {
      benchmarkers_active: { number: "block.details.num_active.opow" },
      benchmarks_active: { number: "block.details.num_active.benchmark" },
      challenges_active: { number: "block.details.num_active.challenge" },
      block_height: { number: "block.details.height" },
      paid_out_block: {
        plus: ["benchmarker", "delegator", "code", "advance"].map((to) => `block.details.emissions.${to}`),
        decimals: 18
      }
    },
    as_of: "block.details.timestamp"
  },
  {
    symbol: "TRX",
    evidence: [readIn("https://docs.chainstack.com/reference/tron-listwitnesses.md", "witnesses", "address")],
    ask: Upstream.post("https://api.trongrid.io/wallet/listwitnesses", {}),
    verify_url: "https://tronscan.org/#/sr/representatives",
    figures: { validators_total: { entries: "witnesses", by: "address" } }
  },
  {
    symbol: "WAL",
    evidence: [
      readIn(
        "MystenLabs/walrus@3c1cacc1 contracts/walrus/sources/system/system_state_inner.move:265",
        "total_capacity_size",
        "used_capacity_size"
      )
    ],
    ask: Upstream.post("https://graphql.mainnet.sui.io/graphql", {
      query:
        "query ($objectId: SuiAddress!) { object(address: $objectId) { dynamicFields(first: 1) { nodes { value { ... on MoveValue { json } } } } } }",
      variables: { objectId: "0x2134d52768ea07e8c43570ef975eb3e4c27a39fa6396bef985b5abc58d03ddd2" }
    }),
    verify_url: "https://walruscan.com",
    figures: {
      storage_encoded_bytes: {
        number: "data.object.dynamicFields.nodes.0.value.json.used_capacity_size",
        decimals: 0
      },
      storage_capacity_encoded_bytes: {
        number: "data.object.dynamicFields.nodes.0.value.json.total_capacity_size",
        decimals: 0
      }
    }
  },
  {
    symbol: "XRP",
    evidence: [
      readIn(
        "ripple/validator-history-service@186b2c02 src/api/routes/v1/nodes.ts:105",
        "result",
        "nodes",
        "node_public_key"
      )
    ],
    ask: "https://data.xrpl.org/v1/network/topology/nodes/main",
    verify_url: "https://livenet.xrpl.org/network/nodes",
    figures: { nodes_online: { entries: "nodes", by: "node_public_key" } },
    must: [{ at: "result", be: "success" }]
  },
  {
    symbol: "XTZ",
    evidence: [
      readIn(
        "baking-bad/tzkt@86c3214e Tzkt.Api/Controllers/DelegatesController.cs:30",
        "active",
        "limit",
        "select",
        "address"
      )
    ],
    ask: "https://api.tzkt.io/v1/delegates?active=true&limit=10000&select=address",
    verify_url: "https://tzkt.io/bakers",
    figures: { bakers_active: { entries: "", by: "", most: 10000 } }
  }
]
