import { Effect, Schema } from "effect"
import { fromBaseUnits, headline, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import * as Cosmos from "#plugin/cosmos"
import { positiveAmount } from "#plugin/fields"
import { firstOf } from "#plugin/gateways"
import { chains } from "./chains.ts"

// A chain on which nothing is bonded makes no block.
const Pool = Schema.Struct({ pool: Schema.Struct({ bonded_tokens: positiveAmount }) })
const Params = Schema.Struct({ params: Schema.Struct({ bond_denom: Schema.String }) })

/** What is bonded, once the chain says that it is the token whose decimals are known. */
const bonded = Effect.fnUntraced(function* (staking: string, denom: string) {
  const { body, ...answer } = yield* Upstream.json(`${staking}/params`, Params)
  const { bond_denom } = body.params
  if (bond_denom !== denom) {
    const odd = `${bond_denom} instead of ${denom}: its decimals are not known`
    return yield* Upstream.implausible({ ...answer, body }, '["params"]["bond_denom"]', odd)
  }
  return yield* Upstream.json(`${staking}/pool`, Pool)
})

const read = "2026-11-25"

export default Plugin.define({
  id: "cosmos-staking",
  title: "Validators and stake of Cosmos chains",
  covers: { networks: chains.map(({ symbol }) => symbol) },
  source: "cosmos_lcd",
  tier: "supply_telemetry",
  hosts: [
    ...new Set(
      chains.flatMap(({ gateways, rpc }) =>
        [...rpc, ...gateways].map((address) => address.split("/")[0] ?? "")
      )
    )
  ],
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
  collect: (observe) =>
    Plugin.forEach(
      chains,
      Effect.fnUntraced(function* ({ bond, gateways, id, rpc, symbol }) {
        const proved = yield* Cosmos.provedStaking({
          id,
          rpc: rpc.map((address) => `https://${address}/`),
          denom: bond?.denom
        })
        /** The answer of a gateway, which proves nothing. */
        const plain = <A>(answer: Upstream.Answer<A>): Upstream.Answer<A> =>
          proved.unproved === undefined ? answer : { ...answer, unproved: proved.unproved }
        const staking = gateways.map((gateway) => `https://${gateway}/cosmos/staking/v1beta1`)
        const validators = Effect.gen(function* () {
          const lists = staking.map((url) => `${url}/validators?status=BOND_STATUS_BONDED`)
          if (proved.validators !== undefined) {
            const { answer, read_url, time, value } = proved.validators
            const verify_url = `${lists[0]}&pagination.limit=1&pagination.count_total=true`
            return observe(
              answer,
              { validators_active: value },
              { symbol, as_of: time, read_url, verify_url }
            )
          }
          const { answer, total } = yield* Cosmos.total(lists, "validators")
          // A chain without a validator makes no block.
          if (total === 0) return yield* Upstream.implausible(answer, '["validators"]', "the list is empty")
          return observe(plain(answer), { validators_active: total }, { symbol })
        })
        const stake =
          bond === undefined
            ? []
            : [
                Effect.gen(function* () {
                  if (proved.stake !== undefined) {
                    const { answer, read_url, time, value } = proved.stake
                    const staked_amount = fromBaseUnits(String(value), bond.decimals)
                    return observe(
                      answer,
                      { staked_amount },
                      { symbol, as_of: time, read_url, verify_url: `${staking[0]}/pool` }
                    )
                  }
                  // Denomination and pool of one node: a gateway of another chain does not pass.
                  const answer = yield* firstOf(staking, (url) => bonded(url, bond.denom))
                  const staked_amount = fromBaseUnits(answer.body.pool.bonded_tokens, bond.decimals)
                  return observe(plain(answer), { staked_amount }, { symbol })
                })
              ]
        return yield* Plugin.anyOf(symbol, [validators, ...stake])
      })
    )
})
