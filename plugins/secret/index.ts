import { headline, metric, Plugin, readOn, termsOn } from "#plugin"
import { readStaking, stakingHosts } from "#plugin/cosmosStaking"

// Nodes and gateways of the chain registry, by different operators.
const chain = {
  symbol: "SCRT",
  id: "secret-4",
  rpc: ["rpc.mainnet.secretsaturn.net", "rpc.lavenderfive.com/secretnetwork", "rpc-secret.01node.com"],
  gateways: ["lcd.mainnet.secretsaturn.net", "rest.lavenderfive.com/secretnetwork", "rest-secret.01node.com"],
  bond: { denom: "uscrt", decimals: 6 }
}
const read = "2026-11-25"

export default Plugin.define({
  id: "secret",
  title: "Secret Network stake",
  covers: { networks: ["SCRT"] },
  source: "secret_lcd",
  tier: "supply_telemetry",
  hosts: stakingHosts([chain]),
  every: "1 hour",
  calls: 15,
  grade: "K",
  evidence: readOn(read, {
    "cosmos/cosmos-sdk@1d9f966bae96b804c8fc314affc68d8d6242644a x/staking/keeper/grpc_query.go:26":
      "Validators, Pagination, Pool, Params, bondDenom",
    "cosmos/chain-registry@627bbab secretnetwork/chain.json":
      "chain_id, rpc, rest, address, staking_tokens, denom",
    "https://docs.cometbft.com/v0.38/rpc/":
      "abci_query, commit, validators, response, value, proofOps, signed_header, header, voting_power, total"
  }),
  canaries: [
    {
      request: "https://lcd.mainnet.secretsaturn.net/cosmos/base/tendermint/v1beta1/node_info",
      path: ["default_node_info", "network"],
      is: "secret-4",
      why: "The id of the chain: another one is another chain."
    }
  ],
  terms: termsOn(read, "Data: Secret Network, scrt.network"),
  metrics: {
    validators_active: headline(
      "count",
      "Validators in the bonded set, those that miss blocks and are not jailed included."
    ),
    staked_amount: metric(
      "tokens",
      "SCRT in the bonded pool: delegated to bonded validators, by them and by others."
    )
  },
  collect: (observe) => readStaking(observe, chain)
})
