import { Schema } from "effect"
import { fromBaseUnits, headline, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import * as Cosmos from "#plugin/cosmos"
import { positiveAmount } from "#plugin/fields"
import { firstOf } from "#plugin/gateways"

// Gateways of the chain registry, by different operators.
const gateways = [
  "lcd.mainnet.secretsaturn.net",
  "rest.lavenderfive.com/secretnetwork",
  "rest-secret.01node.com"
]
const staking = gateways.map((gateway) => `https://${gateway}/cosmos/staking/v1beta1`)
const read = "2026-11-25"

// A chain on which nothing is bonded makes no block.
const Pool = Schema.Struct({ pool: Schema.Struct({ bonded_tokens: positiveAmount }) })

export default Plugin.define({
  id: "secret",
  title: "Secret Network stake",
  covers: { networks: ["SCRT"] },
  source: "secret_lcd",
  tier: "supply_telemetry",
  hosts: gateways.map((gateway) => gateway.split("/")[0] ?? ""),
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
  collect: (observe) => {
    const pool = Plugin.from(
      observe,
      firstOf(staking, (url) => Upstream.json(`${url}/pool`, Pool)),
      ({ pool }) => ({ staked_amount: fromBaseUnits(pool.bonded_tokens, 6) })
    )
    const validators = Cosmos.totals(observe, "SCRT", {
      validators_active: {
        urls: staking.map((url) => `${url}/validators?status=BOND_STATUS_BONDED`),
        member: "validators"
      }
    })
    return Plugin.anyOf("SCRT", [pool, validators])
  }
})
