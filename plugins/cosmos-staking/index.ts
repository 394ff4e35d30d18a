import { Effect, Schema } from "effect"
import { fromBaseUnits, headline, metric, Plugin, Upstream } from "#plugin"
import * as Cosmos from "#plugin/cosmos"
import { positiveAmount } from "#plugin/fields"
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

export default Plugin.define({
  id: "cosmos-staking",
  title: "Validators and stake of Cosmos chains",
  covers: { networks: chains.map(({ symbol }) => symbol) },
  source: "cosmos_lcd",
  tier: "supply_telemetry",
  hosts: [...new Set(chains.map(({ lcd }) => lcd.split("/")[0] ?? ""))],
  every: "6 hours",
  timeout: "5 minutes",
  calls: 180,
  grade: "K",
  evidence: [
    {
      source:
        "cosmos/cosmos-sdk proto/cosmos/staking/v1beta1/query.proto; hosts and denominations: cosmos/chain-registry@627bbab",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    validators_active: headline("count", "Validators in the bonded set of the network's chain."),
    staked_amount: metric("tokens", "Tokens bonded to the validators of the network's chain.")
  },
  collect: (observe) =>
    Plugin.forEach(chains, ({ bond, lcd, symbol }) => {
      const staking = `https://${lcd}/cosmos/staking/v1beta1`
      const validators = Effect.gen(function* () {
        const list = [`${staking}/validators?status=BOND_STATUS_BONDED`]
        const { answer, total } = yield* Cosmos.total(list, "validators")
        // A chain without a validator makes no block.
        if (total === 0) return yield* Upstream.implausible(answer, '["validators"]', "the list is empty")
        return observe(answer, { validators_active: total }, { symbol })
      })
      const stake =
        bond === undefined
          ? []
          : [
              Plugin.from(observe, bonded(staking, bond.denom), { symbol }, ({ pool }) => ({
                staked_amount: fromBaseUnits(pool.bonded_tokens, bond.decimals)
              }))
            ]
      return Plugin.anyOf(symbol, [validators, ...stake])
    })
})
