import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { fromBaseUnits } from "../../core/plugin/Value.ts"

/** A whole number, which the explorer writes as text. */
const Digits = Upstream.maybe(Schema.Union([Schema.Natural, Schema.String.check(Schema.isPattern(/^\d+$/))]))

const Token = Schema.Struct({
  decimals: Digits,
  total_supply: Digits,
  holders: Digits,
  holders_count: Digits
})
interface Token extends Schema.Schema.Type<typeof Token> {}

const Counters = Schema.Struct({ token_holders_count: Digits, transfers_count: Digits })

const Holders = Schema.Struct({ items: Schema.Array(Schema.Struct({ value: Digits })) })

/** Host of the explorer by chain of the catalog. */
const hosts: Readonly<Record<string, string>> = {
  ethereum: "eth.blockscout.com",
  base: "base.blockscout.com",
  arbitrum: "arbitrum.blockscout.com",
  polygon: "polygon.blockscout.com",
  optimism: "optimism.blockscout.com",
  gnosis: "gnosis.blockscout.com"
}

/** Exact: a number beyond 2^53 was text to begin with. */
const whole = (digits: number | string | null | undefined): bigint | undefined =>
  digits === null || digits === undefined ? undefined : BigInt(digits)

/** A count of 0 is one only where nothing was ever minted: else the explorer has not counted yet. */
const counted = (digits: number | string | null | undefined, { total_supply }: Token) => {
  const count = whole(digits)
  return count === 0n && whole(total_supply) !== 0n ? undefined : count
}

const plainCount = (count: bigint | undefined) => (count === undefined ? undefined : Number(count))

export default Plugin.define({
  id: "blockscout",
  title: "Token holders and transfers",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "blockscout",
  hosts: Object.values(hosts),
  every: "1 day",
  timeout: "10 minutes",
  calls: 150,
  grade: "B",
  owner: "plumbline",
  metrics: {
    holders_count: {
      unit: "count",
      min: 0,
      meaning: "Addresses with a balance of the token, on the chain of the catalog's contract."
    },
    token_transfers_total: {
      unit: "count",
      min: 0,
      meaning: "Transfers of the token since its contract was made, on that chain."
    },
    top_holder_balance: {
      unit: "tokens",
      min: 0,
      collapse: 1,
      meaning: "Balance of the largest holder, as often a bridge or a staking contract as a person."
    }
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = (yield* Upstream.targets).flatMap(({ chain, id, symbol }) => {
        const host = chain === undefined ? undefined : hosts[chain]
        return host === undefined ? [] : [{ chain, host, contract: id, symbol }]
      })
      const one = Effect.fnUntraced(function* (target: (typeof targets)[number]) {
        const url = `https://${target.host}/api/v2/tokens/${target.contract}`
        const token = yield* Upstream.json(url, Token)
        const counters = yield* Effect.result(Upstream.json(`${url}/counters`, Counters))
        const holders = yield* Effect.result(Upstream.json(`${url}/holders`, Holders))
        const facts = {
          symbol: target.symbol,
          source: `blockscout_${target.chain}`,
          verify_url: `https://${target.host}/token/${target.contract}?tab=holders`
        }
        const rows: Array<Plugin.Given> = []
        const inToken = counted(token.body.holders_count ?? token.body.holders, token.body)
        if (Result.isSuccess(counters)) {
          const { token_holders_count, transfers_count } = counters.success.body
          const holders_count = counted(token_holders_count, token.body) ?? inToken
          rows.push(
            ...observe(
              counters.success,
              {
                holders_count: plainCount(holders_count),
                token_transfers_total: plainCount(counted(transfers_count, token.body))
              },
              facts
            )
          )
        } else {
          rows.push(
            ...observe(token, { holders_count: plainCount(inToken) }, facts),
            Plugin.missed(counters.failure, target.symbol, "token_transfers_total")
          )
        }
        if (Result.isFailure(holders)) {
          rows.push(Plugin.missed(holders.failure, target.symbol, "top_holder_balance"))
          return rows
        }
        const balances = holders.success.body.items.map(({ value }) => whole(value) ?? -1n)
        const [top] = balances.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))
        // A holder without a balance may be the largest.
        const isWhole = !balances.includes(-1n)
        const decimals = whole(token.body.decimals)
        const balance = decimals === undefined || !isWhole ? undefined : fromBaseUnits(top, Number(decimals))
        rows.push(...observe(holders.success, { top_holder_balance: balance }, facts))
        return rows
      })
      const outcomes = yield* Upstream.parts(targets.map((target) => [target, one(target)] as const))
      return outcomes.flatMap(({ name, outcome }) =>
        Result.isSuccess(outcome) ? outcome.success : [Plugin.missed(outcome.failure, name.symbol)]
      )
    })
})
