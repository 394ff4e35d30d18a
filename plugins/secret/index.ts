import { headline, metric, readOn, termsOn } from "#plugin"
import { length } from "#plugin/cosmos"
import { declare } from "#plugin/declare"

// Gateways of the chain registry, by different operators.
const gateways = [
  "https://lcd.mainnet.secretsaturn.net/cosmos/staking/v1beta1",
  "https://rest.lavenderfive.com/secretnetwork/cosmos/staking/v1beta1",
  "https://rest-secret.01node.com/cosmos/staking/v1beta1"
]
const read = "2026-11-25"

export default declare({
  id: "secret",
  title: "Secret Network stake",
  covers: { networks: ["SCRT"] },
  source: "secret_lcd",
  tier: "supply_telemetry",
  hosts: ["lcd.mainnet.secretsaturn.net", "rest.lavenderfive.com", "rest-secret.01node.com"],
  every: "1 hour",
  calls: 6,
  grade: "K",
  evidence: readOn(read, {
    "cosmos/cosmos-sdk@1d9f966bae96b804c8fc314affc68d8d6242644a x/staking/keeper/grpc_query.go:26":
      "Validators, Pagination, Pool, bondDenom",
    "cosmos/chain-registry@627bbab secretnetwork/chain.json": "chain_id, rest, address, staking_tokens, denom"
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
  answers: [
    {
      ask: "https://lcd.mainnet.secretsaturn.net/cosmos/staking/v1beta1/pool",
      others: [
        "https://rest.lavenderfive.com/secretnetwork/cosmos/staking/v1beta1/pool",
        "https://rest-secret.01node.com/cosmos/staking/v1beta1/pool"
      ],
      // A chain on which nothing is bonded makes no block.
      positive: ["pool.bonded_tokens"],
      figures: { staked_amount: { number: "pool.bonded_tokens", decimals: 6 } }
    },
    {
      ask: length(gateways, "/validators?status=BOND_STATUS_BONDED", "validators"),
      figures: { validators_active: "" }
    }
  ]
})
