import { Effect } from "effect"
import { capacity, metric, neverFalls, Plugin, readOn, termsOn, Upstream } from "#plugin"
import * as Cosmos from "#plugin/cosmos"
import { flows, metrics } from "./flows.ts"
import { gateways, type List, lists } from "./lists.ts"

const read = "2026-11-25"

const lengthOf = Effect.fnUntraced(function* ({ member, path, symbol }: List) {
  const { answer, total } = yield* Cosmos.total(
    gateways[symbol].map((gateway) => `https://${gateway}${path}`),
    member
  )
  // All of these lists have had entries for years: an empty one is a node without its state.
  if (total === 0) return yield* Upstream.implausible(answer, `["${member}"]`, "the list is empty")
  return { answer, total }
})

export default Plugin.define({
  id: "cosmos-modules",
  title: "Modules of Cosmos chains",
  covers: { networks: [...new Set([...lists, ...flows].map(({ symbol }) => symbol))] },
  source: "cosmos_lcd_modules",
  tier: "supply_telemetry",
  hosts: Object.values(gateways).flatMap((of) => of.map((gateway) => gateway.split("/")[0] ?? "")),
  every: "6 hours",
  timeout: "3 minutes",
  calls: 70,
  grade: "A",
  evidence: readOn(read, {
    "arkeonetwork/arkeo@905bc49 x/arkeo/keeper/grpc_query_provider.go:16": "Provider, Pagination",
    "arkeonetwork/arkeo@905bc49 x/arkeo/keeper/grpc_query_contract.go:16": "Contract, Pagination",
    "arkeonetwork/arkeo@905bc49 proto/arkeo/arkeo/query.proto:120": "provider, contract, pagination",
    "KYVENetwork/chain@d7cfcf3 x/pool/keeper/getters_pool.go:99": "pools, disabled",
    "KYVENetwork/chain@d7cfcf3 proto/kyve/query/v1beta1/pools.proto:48": "pools, pagination",
    "gitopia/gitopia@76c7e31e x/storage/keeper/query.go:42": "providers, Pagination",
    "gitopia/gitopia@76c7e31e proto/gitopia/gitopia/storage/query.proto:146": "providers, pagination",
    "LumeraProtocol/lumera@968e0211 x/supernode/v1/keeper/supernode.go:174": "supernodes, States",
    "LumeraProtocol/lumera@968e0211 proto/lumera/supernode/v1/query.proto:108": "supernodes, pagination",
    "regen-network/regen-ledger@d0f60efdc x/ecocredit/base/keeper/query_classes.go:14": "classes, Pagination",
    "regen-network/regen-ledger@d0f60efdc x/ecocredit/base/keeper/query_projects.go:15":
      "projects, Pagination",
    "regen-network/regen-ledger@d0f60efdc x/ecocredit/base/keeper/query_batches.go:16": "batches, Pagination",
    "bandprotocol/chain@cb3517b3d x/tunnel/keeper/grpc_query.go:26": "Tunnels, Pagination",
    "bandprotocol/chain@cb3517b3d proto/band/tunnel/v1beta1/query.proto:79": "tunnels, pagination",
    "dymensionxyz/dymension@28618e978 x/rollapp/keeper/grpc_query_rollapp.go:17": "Rollapp, Pagination",
    "dymensionxyz/dymension@28618e978 proto/dymensionxyz/dymension/rollapp/query.proto:142":
      "rollapp, pagination",
    "dymensionxyz/dymension@28618e978 x/sequencer/keeper/grpc_query_sequencer.go:13":
      "Sequencers, Pagination",
    "dymensionxyz/dymension@28618e978 proto/dymensionxyz/dymension/sequencer/query.proto:87":
      "sequencers, pagination",
    "lavanet/lava@5dbc50a65 x/subscription/keeper/grpc_query_list.go:14": "SubsInfo",
    "lavanet/lava@5dbc50a65 proto/lavanet/lava/subscription/query.proto:98": "subs_info",
    "sedaprotocol/seda-chain@f9a2bea x/wasm-storage/keeper/querier.go:36": "List, Pagination",
    "sedaprotocol/seda-chain@f9a2bea proto/sedachain/wasm_storage/v1/query.proto:52": "list, pagination",
    "arkeonetwork/arkeo@905bc49 proto/arkeo/arkeo/keeper.proto:59": "paid, rate",
    "KYVENetwork/chain@d7cfcf3 proto/kyve/query/v1beta1/funders.proto:56": "funders, stats, total_used_funds",
    "cosmos/cosmos-sdk@15041c22e75701f01c15bb4b6ef5c996dff66e2f proto/cosmos/mint/v1beta1/query.proto":
      "annual_provisions, params",
    "cosmos/cosmos-sdk@15041c22e75701f01c15bb4b6ef5c996dff66e2f proto/cosmos/mint/v1beta1/mint.proto":
      "blocks_per_year",
    "bandprotocol/chain@024a6d5ddd3ca87dd72079919b62f7c4a2649f8f app/keepers/keys.go": "minttypes",
    "lavanet/lava@5dbc50a65 proto/lavanet/lava/rewards/query.proto": "reward",
    "nymtech/nym@daed9cd15b common/network-defaults/src/mainnet.rs:16": "MIXNET_CONTRACT_ADDRESS",
    "nymtech/nym@daed9cd15b common/cosmwasm-smart-contracts/mixnet-contract/src/msg.rs:456":
      "GetRewardingParams",
    "nymtech/nym@daed9cd15b common/cosmwasm-smart-contracts/mixnet-contract/src/reward_params.rs:49":
      "interval, epoch_reward_budget",
    "https://github.com/cosmos/chain-registry/tree/627bbab9c8e56fa1c4581f85f40d6d028e1c26e8":
      "chain_id, rest, address"
  }),
  // Of these chains' modules no function deletes an entry.
  relations: [
    neverFalls("service_contracts"),
    neverFalls("credit_classes"),
    neverFalls("credit_projects"),
    neverFalls("credit_batches"),
    neverFalls("data_tunnels"),
    neverFalls("sequencers_registered"),
    neverFalls("earned_total")
  ],
  terms: termsOn(read, "Data: nodes of the chains, by public gateways of cosmos/chain-registry"),
  metrics: {
    service_offers: capacity(
      "count",
      "Services that providers have bonded, one for each provider and service, those that are offline included."
    ),
    service_contracts: metric(
      "count",
      "Contracts between clients and providers that were ever made, those that have ended included."
    ),
    data_pools: capacity(
      "count",
      "Pools of data that are not disabled, those without funds or stake included."
    ),
    storage_providers_registered: capacity(
      "count",
      "Storage providers in the chain's store, whatever their state."
    ),
    supernodes_registered: capacity("count", "Supernodes in the chain's store, whatever their state."),
    credit_classes: metric("count", "Classes of ecological credits that were ever made."),
    credit_projects: metric("count", "Projects that were ever registered for ecological credits."),
    credit_batches: metric("count", "Batches of ecological credits that were ever issued."),
    data_tunnels: metric(
      "count",
      "Tunnels for prices to other chains that were ever made, inactive ones included."
    ),
    rollapps_registered: capacity("count", "Rollapps in the chain's store, those that stand still included."),
    sequencers_registered: capacity(
      "count",
      "Sequencers that were ever registered, those without a bond included."
    ),
    subscriptions_active: metric("count", "Consumers with a subscription at the newest block."),
    oracle_programs: metric("count", "Oracle programs in the chain's store."),
    ...metrics
  },
  collect: (observe) =>
    Plugin.forEach(
      [
        ...lists.map((list) => ({
          symbol: list.symbol,
          part: Effect.map(lengthOf(list), ({ answer, total }) =>
            observe(answer, { [list.metric]: total }, { symbol: list.symbol })
          )
        })),
        ...flows.map(({ read, symbol }) => ({
          symbol,
          part: Effect.map(read, ({ answer, values }) => observe(answer, values, { symbol }))
        }))
      ],
      ({ part }) => part
    )
})
