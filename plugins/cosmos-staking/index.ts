import { headline, metric, Plugin, readOn, termsOn } from "#plugin"
import { readStaking, stakingHosts } from "#plugin/cosmosStaking"
import { chains } from "./chains.ts"

const read = "2026-11-25"

export default Plugin.define({
  id: "cosmos-staking",
  title: "Validators and stake of Cosmos chains",
  covers: { networks: chains.map(({ symbol }) => symbol) },
  source: "cosmos_lcd",
  tier: "supply_telemetry",
  hosts: stakingHosts(chains),
  every: "6 hours",
  timeout: "5 minutes",
  calls: 200,
  grade: "K",
  evidence: readOn(read, {
    "cosmos/cosmos-sdk@1d9f966bae96b804c8fc314affc68d8d6242644a x/staking/keeper/grpc_query.go:26":
      "Validators, Pagination, Pool, Params",
    "cosmos/cosmos-sdk@0b6a4dfcc7b335abf32f93197d0f23654941c86b proto/cosmos/staking/v1beta1/query.proto":
      "validators, pagination, pool, params",
    "cosmos/cosmos-sdk@1ebcb8a57ab6053b1e6377558aa5a38dbc16f9b3 proto/cosmos/staking/v1beta1/staking.proto":
      "bonded_tokens, not_bonded_tokens, bond_denom",
    "https://github.com/cosmos/chain-registry/tree/627bbab9c8e56fa1c4581f85f40d6d028e1c26e8":
      "chain_id, rpc, rest, address, staking_tokens, denom",
    "https://docs.cometbft.com/v0.38/rpc/":
      "abci_query, commit, validators, response, value, proofOps, signed_header, header, voting_power, total"
  }),
  terms: termsOn(read, "Data: nodes of the chains, by public gateways of cosmos/chain-registry"),
  metrics: {
    validators_active: headline("count", "Validators in the bonded set of the network's chain."),
    staked_amount: metric(
      "tokens",
      "Tokens in the bonded pool of the network's chain: delegated to bonded validators, by them and by others."
    )
  },
  collect: (observe) => Plugin.forEach(chains, (chain) => readStaking(observe, chain))
})
