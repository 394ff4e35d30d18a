/**
 * Validators and stake of a Cosmos chain as readings: by the chain's own proofs, over the RPC of its nodes, and by the word of its gateways
 * where no node proves them.
 */
import { Effect, Schema } from "effect"
import { fromBaseUnits } from "../decimals.ts"
import * as Plugin from "../Plugin.ts"
import * as Upstream from "../Upstream.ts"
import { total } from "./cosmos.ts"
import { positiveAmount } from "./fields.ts"
import { firstOf } from "./gateways.ts"
import { provedStaking } from "./provedCosmos.ts"

export interface StakingNetwork {
  readonly symbol: string
  /** The chain's own name for itself. */
  readonly id: string
  /** Hosts and paths of RPC by different operators, without the scheme. */
  readonly rpc: ReadonlyArray<string>
  /** Hosts and paths of gateways (LCD) by different operators, without the scheme. */
  readonly gateways: ReadonlyArray<string>
  /** The token that is bonded; absent where it is another than the one of the symbol. */
  readonly bond?: { readonly denom: string; readonly decimals: number }
}

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

/** Gives `validators_active`, and `staked_amount` where the bonded token is that of the symbol. */
export const readStaking = Effect.fnUntraced(function* (
  observe: Plugin.Observe<"staked_amount" | "validators_active">,
  { bond, gateways, id, rpc, symbol }: StakingNetwork
) {
  const proved = yield* provedStaking({
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
      return observe(answer, { validators_active: value }, { symbol, as_of: time, read_url, verify_url })
    }
    const { answer, total: entries } = yield* total(lists, "validators")
    // A chain without a validator makes no block.
    if (entries === 0) return yield* Upstream.implausible(answer, '["validators"]', "the list is empty")
    return observe(plain(answer), { validators_active: entries }, { symbol })
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

/** The hosts of these networks, for a manifest. */
export const stakingHosts = (networks: ReadonlyArray<StakingNetwork>): ReadonlyArray<string> => [
  ...new Set(
    networks.flatMap(({ gateways, rpc }) =>
      [...rpc, ...gateways].map((address) => address.split("/")[0] ?? "")
    )
  )
]
