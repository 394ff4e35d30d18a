import { Effect, Schema } from "effect"
import { fromBaseUnits, headline, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import * as Cosmos from "#plugin/cosmos"
import { positiveAmount } from "#plugin/fields"
import { firstOf } from "#plugin/gateways"

// RPC and gateways of the chain registry, by different operators.
const rpc = ["https://rpc.mainnet.secretsaturn.net/", "https://rpc.lavenderfive.com/secretnetwork/"]
const gateways = [
  "https://lcd.mainnet.secretsaturn.net/cosmos/staking/v1beta1",
  "https://rest.lavenderfive.com/secretnetwork/cosmos/staking/v1beta1",
  "https://rest-secret.01node.com/cosmos/staking/v1beta1"
]
const pools = gateways.map((gateway) => `${gateway}/pool`)
const list = "/validators?status=BOND_STATUS_BONDED"
const decimals = 6
const read = "2026-11-25"

// A chain on which nothing is bonded makes no block.
const Pool = Schema.Struct({ pool: Schema.Struct({ bonded_tokens: positiveAmount }) })

export default Plugin.define({
  id: "secret",
  title: "Secret Network stake",
  covers: { networks: ["SCRT"] },
  source: "secret_lcd",
  tier: "supply_telemetry",
  hosts: [...new Set([...rpc, ...gateways].map((address) => new URL(address).host))],
  every: "1 hour",
  timeout: "2 minutes",
  calls: 10,
  grade: "K",
  evidence: readOn(read, {
    "cosmos/cosmos-sdk@1d9f966bae96b804c8fc314affc68d8d6242644a x/staking/keeper/grpc_query.go:26":
      "Validators, Pagination, Pool, bondDenom",
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
  collect: Effect.fnUntraced(function* (observe) {
    const proved = yield* Cosmos.provedStaking({ id: "secret-4", rpc, denom: "uscrt" })
    /** The answer of a gateway, which proves nothing. */
    const plain = <A>(answer: Upstream.Answer<A>): Upstream.Answer<A> =>
      proved.unproved === undefined ? answer : { ...answer, unproved: proved.unproved }
    const stake = Effect.gen(function* () {
      if (proved.stake !== undefined) {
        const { answer, read_url, time, value } = proved.stake
        const staked_amount = fromBaseUnits(String(value), decimals)
        return observe(answer, { staked_amount }, { as_of: time, read_url, verify_url: pools[0] ?? "" })
      }
      const answer = yield* firstOf(pools, (url) => Upstream.json(url, Pool))
      return observe(plain(answer), {
        staked_amount: fromBaseUnits(answer.body.pool.bonded_tokens, decimals)
      })
    })
    const validators = Effect.gen(function* () {
      if (proved.validators !== undefined) {
        const { answer, read_url, time, value } = proved.validators
        const verify_url = `${gateways[0]}${list}&pagination.limit=1&pagination.count_total=true`
        return observe(answer, { validators_active: value }, { as_of: time, read_url, verify_url })
      }
      const answer = yield* Cosmos.length(gateways, list, "validators")
      return observe(plain(answer), { validators_active: answer.body })
    })
    return yield* Plugin.anyOf("SCRT", [stake, validators])
  })
})
