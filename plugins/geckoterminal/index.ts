import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Dex from "../../core/plugin/shapes/dex.ts"
import * as Fields from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { decimalText } from "../../core/plugin/Value.ts"

/** Money, which the upstream writes as text. */
const Money = Upstream.maybe(
  Schema.String.check(Schema.makeFilter((text) => decimalText(text) !== undefined || "a decimal text"))
)

const Ref = Schema.Struct({ data: Schema.Struct({ id: Schema.NonEmptyString }) })

const Pool = Schema.Struct({
  attributes: Schema.Struct({
    base_token_price_usd: Money,
    quote_token_price_usd: Money,
    reserve_in_usd: Money,
    volume_usd: Upstream.maybe(Schema.Struct({ h24: Money })),
    transactions: Upstream.maybe(
      Schema.Struct({ h24: Upstream.maybe(Schema.Struct({ buys: Fields.count, sells: Fields.count })) })
    )
  }),
  relationships: Schema.Struct({ base_token: Ref, quote_token: Ref, dex: Ref })
})
interface Pool extends Schema.Schema.Type<typeof Pool> {}

const Pools = Schema.Struct({ data: Schema.Array(Pool) })

/** GeckoTerminal's word for a chain of the catalog. */
const chains: Readonly<Record<string, string>> = {
  ethereum: "eth",
  base: "base",
  arbitrum: "arbitrum",
  polygon: "polygon_pos",
  bsc: "bsc",
  solana: "solana",
  optimism: "optimism",
  gnosis: "xdai"
}

/** A page holds 20 pools and there are 10 pages: a longer list is cut by the upstream. */
const pageSize = 20
const lastPage = 10

/** The upstream allows about 30 calls a minute: a run reads the next few tokens and stops before that. */
const perRun = { targets: 12, calls: 16 }
const cadence = 15 * 60_000

const read = Effect.fnUntraced(function* (chain: string, contract: string) {
  const url = (page: number) =>
    `https://api.geckoterminal.com/api/v2/networks/${chain}/tokens/${contract}/pools?page=${page}`
  return yield* Upstream.pages(
    url(1),
    Pools,
    ({ body }, page) => (body.data.length < pageSize || page === lastPage ? undefined : url(page + 1)),
    lastPage
  )
})

const dollars = (text: string | null | undefined): number | undefined =>
  text === null || text === undefined ? undefined : Number(text)

const toPair = ({ attributes, relationships }: Pool, token: string, chain: string): Dex.Pair => {
  const isToken = ({ data }: typeof Ref.Type) => Dex.sameAddress(data.id.slice(chain.length + 1), token)
  const h24 = attributes.transactions?.h24
  return {
    venue: `${chain} ${relationships.dex.data.id}`,
    price: isToken(relationships.base_token)
      ? (attributes.base_token_price_usd ?? null)
      : isToken(relationships.quote_token)
        ? (attributes.quote_token_price_usd ?? null)
        : undefined,
    swaps: Fields.sum([h24?.buys, h24?.sells]),
    volume: dollars(attributes.volume_usd?.h24),
    liquidity: dollars(attributes.reserve_in_usd)
  }
}

export default Plugin.define({
  id: "geckoterminal",
  title: "Decentralised exchange markets, second source",
  covers: { catalog: "token_contract" },
  tier: "market",
  source: "geckoterminal_pools",
  hosts: ["api.geckoterminal.com"],
  every: "15 minutes",
  timeout: "2 minutes",
  calls: 26,
  grade: "B",
  owner: "plumbline",
  metrics: Dex.dexMetrics,
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = (yield* Upstream.targets).flatMap(({ chain, id, symbol }) => {
        const name = chain === undefined ? undefined : chains[chain]
        return name === undefined ? [] : [{ contract: id, symbol, chain: name }]
      })
      const turn = Math.floor((yield* Upstream.now) / cadence)
      const start = targets.length === 0 ? 0 : (turn * perRun.targets) % targets.length
      const slice = [...targets.slice(start), ...targets.slice(0, start)].slice(0, perRun.targets)
      const rows: Array<Plugin.Given> = []
      const failures: Array<Upstream.UpstreamError> = []
      const empty: Array<Upstream.Answer<unknown>> = []
      let calls = 0
      let answered = false
      for (const { chain, contract, symbol } of slice) {
        if (calls >= perRun.calls) break
        const outcome = yield* Effect.result(read(chain, contract))
        if (Result.isFailure(outcome)) {
          calls++
          failures.push(outcome.failure)
          rows.push(Plugin.missed(outcome.failure, symbol))
          if (isGeneral(outcome.failure)) break
          continue
        }
        calls += outcome.success.length
        const [answer] = outcome.success
        const pools = outcome.success.flatMap(({ body }) => body.data)
        // Without a pool the token is not listed: nothing was measured.
        if (answer === undefined) continue
        if (pools.length === 0) {
          empty.push(answer)
          continue
        }
        answered = true
        const { dex_price_usd, ...totals } = Dex.dexValues(pools.map((pool) => toPair(pool, contract, chain)))
        const isWhole = pools.length < pageSize * lastPage
        rows.push(...observe(answer, { dex_price_usd, ...(isWhole ? totals : {}) }, { symbol }))
      }
      if (answered) return rows
      const [failure] = failures
      if (failure !== undefined) return yield* failure
      const [none] = empty
      return none === undefined
        ? rows
        : yield* Upstream.implausible(none, '["data"]', `no pool of any of ${empty.length} tokens`)
    })
})

/** Whether a failure is about the upstream or this address, and not about the one token that was asked for. */
const isGeneral = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamUnreachable" || (error._tag === "UpstreamRefused" && error.status !== 404)
