import { Effect, Result, Schema } from "effect"
import { Plugin, readOn, termsOn, Upstream } from "#plugin"
import * as Dex from "#plugin/dex"
import * as Fields from "#plugin/fields"

const Pools = Schema.Struct({ data: Schema.Array(Schema.Unknown) })

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

/** The upstream allows about 30 calls per minute: a run reads the next few tokens and stops before that. */
const perRun = { targets: 12, calls: 16 }
const cadence = 15 * 60_000

const poolsOf = Effect.fnUntraced(function* (chain: string, contract: string) {
  const url = (page: number) =>
    `https://api.geckoterminal.com/api/v2/networks/${chain}/tokens/${contract}/pools?page=${page}`
  return yield* Upstream.pages(
    url(1),
    Pools,
    ({ body }, page) => (body.data.length < pageSize || page === lastPage ? undefined : url(page + 1)),
    lastPage
  )
})

/** A pool is read member by member: what one of two hundred says oddly costs the totals, and not the price of another. */
const toPair = (pool: unknown, token: string, chain: string): Dex.Pair => {
  const attributes = Fields.at(pool, "attributes")
  const exchange = Fields.textAt(pool, "relationships", "dex", "data", "id")
  const [buys, sells] = ["buys", "sells"].map((way) =>
    Fields.tally(Fields.at(pool, "attributes", "transactions", "h24", way))
  )
  const side = sides.find((name) => isSide(pool, name, token, chain))
  return {
    venue: exchange === undefined ? undefined : `${chain} ${exchange}`,
    price: side === undefined ? undefined : Fields.exact(Fields.at(pool, "attributes", `${side}_price_usd`)),
    swaps: Fields.sum([buys, sells]),
    volume: Fields.size(Fields.at(pool, "attributes", "volume_usd", "h24")),
    // Some kinds of pool tell no liquidity; a pool of which nothing is told may be the deepest.
    liquidity: Fields.isObject(attributes)
      ? Fields.size(Fields.at(attributes, "reserve_in_usd"))
      : Upstream.unexpected(attributes, "the attributes of a pool")
  }
}

const sides = ["base_token", "quote_token"] as const

const isSide = (pool: unknown, side: (typeof sides)[number], token: string, chain: string): boolean =>
  Dex.sameAddress(Fields.textAt(pool, "relationships", side, "data", "id")?.slice(chain.length + 1), token)

/** The list moves while its pages are read: a pool that stands on two of them counts once. */
const distinct = (pools: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...new Map(pools.map((pool) => [Fields.textAt(pool, "id") ?? pool, pool])).values()
]

/** When somebody read the client. */
const read = "2026-11-25"

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
  evidence: readOn(read, {
    "coingecko/coingecko-typescript@5d7092dd794e5e0fec267e783fd11894b58a3f20 src/resources/onchain/networks/tokens/pools.ts":
      "data, id, attributes, base_token_price_usd, quote_token_price_usd, reserve_in_usd, transactions, buys, sells, volume_usd, h24, relationships, base_token, quote_token, dex",
    "https://docs.coingecko.com/reference/tokens": "page, reserve_in_usd, volume_usd"
  }),
  terms: termsOn(read, "Data: GeckoTerminal, geckoterminal.com", {
    address: "https://www.coingecko.com/en/api_terms",
    licence: "proprietary"
  }),
  relations: Dex.dexRelations,
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
      const rows: Array<Plugin.CollectedPart> = []
      const failures: Array<Upstream.UpstreamError> = []
      const empty: Array<Upstream.Answer<unknown>> = []
      let calls = 0
      let answered = false
      for (const { chain, contract, symbol } of slice) {
        if (calls >= perRun.calls) break
        const outcome = yield* Effect.result(poolsOf(chain, contract))
        if (Result.isFailure(outcome)) {
          calls++
          failures.push(outcome.failure)
          rows.push(Plugin.failedPart(outcome.failure, symbol))
          if (isGeneral(outcome.failure)) break
          continue
        }
        calls += outcome.success.length
        const [answer] = outcome.success
        const listed = outcome.success.flatMap(({ body }) => body.data)
        // Without a pool the token is not listed: nothing was measured.
        if (answer === undefined) continue
        if (listed.length === 0) {
          empty.push(answer)
          continue
        }
        const pools = distinct(listed)
        if (!pools.some((pool) => sides.some((side) => isSide(pool, side, contract, chain)))) {
          const odd = Upstream.implausible(answer, '["data"]', "no pool that names the token")
          failures.push(odd)
          rows.push(Plugin.failedPart(odd, symbol))
          continue
        }
        answered = true
        const { dex_price_usd, ...totals } = Dex.dexValues(pools.map((pool) => toPair(pool, contract, chain)))
        const isWhole = listed.length < pageSize * lastPage
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
