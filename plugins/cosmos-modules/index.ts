import { Effect } from "effect"
import { capacity, metric, Plugin, Upstream } from "#plugin"
import * as Cosmos from "#plugin/cosmos"
import { lists } from "./lists.ts"

export default Plugin.define({
  id: "cosmos-modules",
  title: "Modules of Cosmos chains",
  covers: { networks: [...new Set(lists.map(({ symbol }) => symbol))] },
  source: "cosmos_lcd_modules",
  tier: "supply_telemetry",
  hosts: [...new Set(lists.map(({ url }) => url.split("/")[0] ?? ""))],
  every: "6 hours",
  timeout: "3 minutes",
  calls: 60,
  grade: "A",
  evidence: [
    {
      source:
        "query.proto of each module: arkeonetwork/arkeo@0efa00d, KYVENetwork/chain@17e48b0 (pools.proto), gitopia/gitopia@085db78, LumeraProtocol/lumera@b59a9af, regen-network/regen-ledger@03e58d5, bandprotocol/chain@cb3517b (tunnel), dymensionxyz/dymension@28618e9, lavanet/lava@5dbc50a (subscription), sedaprotocol/seda-chain@f9a2bea (wasm_storage); hosts: cosmos/chain-registry@627bbab",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    service_offers: capacity(
      "count",
      "Services that providers have registered, one for each provider and service."
    ),
    service_contracts: metric("count", "Contracts between clients and providers in the chain's store."),
    data_pools: capacity("count", "Pools of data in the chain's store, those that are off included."),
    storage_providers_registered: capacity(
      "count",
      "Storage providers in the chain's store, whatever their state."
    ),
    supernodes_registered: capacity("count", "Supernodes in the chain's store, whatever their state."),
    credit_classes: metric("count", "Classes of ecological credits."),
    credit_projects: metric("count", "Projects that are registered for ecological credits."),
    credit_batches: metric("count", "Batches of ecological credits that were issued."),
    data_tunnels: metric("count", "Tunnels that carry prices to other chains, inactive ones included."),
    rollapps_registered: capacity("count", "Rollapps in the chain's store, those that stand still included."),
    sequencers_registered: capacity("count", "Sequencers in the chain's store, whatever their state."),
    subscriptions_active: metric("count", "Subscriptions of consumers that run."),
    oracle_programs: metric("count", "Oracle programs in the chain's store.")
  },
  collect: (observe) =>
    Plugin.forEach(lists, ({ member, metric: name, symbol, url }) =>
      Effect.gen(function* () {
        const { answer, total } = yield* Cosmos.total([`https://${url}`], member)
        // All of these lists have had entries for years: an empty one is a node without its state.
        if (total === 0) return yield* Upstream.implausible(answer, `["${member}"]`, "the list is empty")
        return observe(answer, { [name]: total }, { symbol })
      })
    )
})
