import { Effect, Result, Schema } from "effect"
import { fromBaseUnits, mayDropToZero, metric, Plugin, readOn, termsOn, Unreadable, Upstream } from "#plugin"

/** A whole number, which the explorer writes as text; each stands for itself, and `whole` reads it. */
const Digits = Schema.optional(Schema.Unknown)

const Token = Schema.Struct({
  decimals: Digits,
  /** What tells a count of 0 from one that was not made yet has to be understood. */
  total_supply: Upstream.maybe(
    Schema.Union([Schema.Natural, Schema.String.check(Schema.isPattern(/^\d+$/))])
  ),
  holders: Digits,
  holders_count: Digits
})
interface Token extends Schema.Schema.Type<typeof Token> {}

const Counters = Schema.Struct({ token_holders_count: Digits, transfers_count: Digits })

const Holders = Schema.Struct({ items: Schema.Array(Schema.Struct({ value: Digits })) })

/** Exact: a number beyond 2^53 was text to begin with. */
const whole = (digits: unknown): bigint | Unreadable | undefined =>
  digits === null || digits === undefined
    ? undefined
    : (typeof digits === "string" && /^\d+$/.test(digits)) ||
        (typeof digits === "number" && Number.isSafeInteger(digits) && digits >= 0)
      ? BigInt(digits)
      : Upstream.unexpected(digits, "a whole number")

/** Host of the explorer by chain of the catalog. */
const hosts: Readonly<Record<string, string>> = {
  ethereum: "eth.blockscout.com",
  base: "base.blockscout.com",
  arbitrum: "arbitrum.blockscout.com",
  polygon: "polygon.blockscout.com",
  optimism: "optimism.blockscout.com",
  gnosis: "gnosis.blockscout.com"
}

/** A count of 0 is one only where nothing was ever minted: else the explorer has not counted yet. */
const counted = (digits: unknown, { total_supply }: Token) => {
  const count = whole(digits)
  return count === 0n && whole(total_supply) !== 0n ? undefined : count
}

const plainCount = (count: bigint | Unreadable | undefined) =>
  typeof count === "bigint" ? Number(count) : count

/** The largest balance in tokens; nothing where the decimals or one of the balances are not told. */
const topOf = (items: (typeof Holders.Type)["items"], token: Token): Plugin.Reading => {
  const decimals = whole(token.decimals)
  const balances = items.map(({ value }) => whole(value))
  const odd = [decimals, ...balances].find((it) => it instanceof Unreadable)
  if (odd !== undefined) return odd
  const read = balances.filter((it) => typeof it === "bigint")
  // A holder without a balance may be the largest.
  if (typeof decimals !== "bigint" || read.length < balances.length) return undefined
  if (decimals > 77n) return Upstream.unexpected(decimals, "at most 77 decimals")
  const [top] = read.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0))
  return fromBaseUnits(top, Number(decimals))
}

/** When somebody read the sources. */
const read = "2026-11-25"

export default Plugin.define({
  id: "blockscout",
  title: "Token holders and transfers",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "blockscout",
  sources: Object.keys(hosts).map((chain) => `blockscout_${chain}`),
  hosts: Object.values(hosts),
  every: "1 day",
  timeout: "10 minutes",
  calls: 560,
  grade: "B",
  evidence: readOn(read, {
    "blockscout/blockscout@4447bfff5b0d2c93873ee5ca40788a51ddb7bfdd apps/block_scout_web/lib/block_scout_web/controllers/api/v2/token_controller.ex":
      "transfers_count, token_holders_count",
    "blockscout/blockscout@74134dcd2b4aa202cefc1dbb774b81d777ef591a apps/block_scout_web/lib/block_scout_web/views/api/v2/token_view.ex":
      "decimals, total_supply, holders, items, value",
    "blockscout/blockscout@0134bd078a8965d36fe703ebdc07f0820c31014a apps/explorer/lib/explorer/chain/address/current_token_balance.ex":
      "token_holders_query, token_holders_ordered_by_value, burn_address_hash"
  }),
  terms: termsOn(read, "Data: Blockscout, blockscout.com"),
  metrics: {
    holders_count: metric(
      "count",
      "Addresses with a balance of the token, the address 0x0 left out, on the chain of the catalog's contract."
    ),
    token_transfers_total: metric(
      "count",
      "Transfers of the token that the explorer has indexed, on that chain."
    ),
    top_holder_balance: mayDropToZero(
      "tokens",
      "Balance of the largest holder, the address 0x0 left out; as often a bridge or a staking contract as a person."
    )
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
        const rows: Array<Plugin.CollectedPart> = []
        const inToken = counted(token.body.holders_count ?? token.body.holders, token.body)
        if (Result.isSuccess(counters)) {
          const { token_holders_count, transfers_count } = counters.success.body
          const own = counted(token_holders_count, token.body)
          const holders_count = own === undefined ? inToken : own
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
            Plugin.failedPart(counters.failure, target.symbol, "token_transfers_total")
          )
        }
        if (Result.isFailure(holders)) {
          rows.push(Plugin.failedPart(holders.failure, target.symbol, "top_holder_balance"))
          return rows
        }
        const top_holder_balance = topOf(holders.success.body.items, token.body)
        rows.push(...observe(holders.success, { top_holder_balance }, facts))
        return rows
      })
      const outcomes = yield* Upstream.parts(targets.map((target) => [target, one(target)] as const))
      return outcomes.flatMap(({ name, outcome }) =>
        Result.isSuccess(outcome) ? outcome.success : [Plugin.failedPart(outcome.failure, name.symbol)]
      )
    })
})
