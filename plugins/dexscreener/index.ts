import { Effect, Result, Schema } from "effect"
import { Plugin, termsOn, Upstream } from "#plugin"
import * as Dex from "#plugin/dex"
import * as Fields from "#plugin/fields"

/** DexScreener's word for a chain of the catalog. */
const chains: Readonly<Record<string, string>> = {
  ethereum: "ethereum",
  base: "base",
  arbitrum: "arbitrum",
  polygon: "polygon",
  bsc: "bsc",
  solana: "solana",
  optimism: "optimism",
  gnosis: "gnosischain"
}

/** A pair is read member by member: what one of thirty says oddly costs the totals, and not the price of another. */
const toPair = (pair: unknown, contract: string): Dex.Pair => {
  const [chain, exchange] = [Fields.textAt(pair, "chainId"), Fields.textAt(pair, "dexId")]
  const [buys, sells] = ["buys", "sells"].map((way) => Fields.tally(Fields.at(pair, "txns", "h24", way)))
  return {
    venue: chain === undefined || exchange === undefined ? undefined : `${chain} ${exchange}`,
    // Where the token is the quote, the price is the other token's.
    price: isSide(pair, "baseToken", contract) ? Fields.exact(Fields.at(pair, "priceUsd")) : undefined,
    swaps: Fields.sum([buys, sells]),
    volume: Fields.size(Fields.at(pair, "volume", "h24")),
    // Some kinds of pair tell no liquidity; a pair of which nothing is told may be the deepest.
    liquidity: Fields.isObject(pair)
      ? Fields.size(Fields.at(pair, "liquidity", "usd"))
      : Upstream.unexpected(pair, "a pair")
  }
}

const sides = ["baseToken", "quoteToken"] as const

const isSide = (pair: unknown, side: (typeof sides)[number], contract: string): boolean =>
  Dex.sameAddress(Fields.textAt(pair, side, "address"), contract)

const holds = (pair: unknown, contract: string): boolean => sides.some((side) => isSide(pair, side, contract))

/** A pair of which both sides are told, and none is the token. */
const isForeign = (pair: unknown, contract: string): boolean => !mayHold(pair) && !holds(pair, contract)

/** Each pair once, by its chain and address. */
const distinct = (pairs: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...new Map(
    pairs.map((pair) => {
      const [chain, address] = [Fields.textAt(pair, "chainId"), Fields.textAt(pair, "pairAddress")]
      return [chain === undefined || address === undefined ? pair : `${chain} ${address}`, pair] as const
    })
  ).values()
]

/** A pair with a side whose address is not told: listed for this token, it holds it. */
const mayHold = (pair: unknown): boolean =>
  sides.some((side) => Fields.textAt(pair, side, "address") === undefined)

/** The pairs that hold the token: a list by contract has no others, where both sides are told. */
const pairsOf = Effect.fnUntraced(function* ({
  chain,
  contract
}: Readonly<Record<"chain" | "contract", string>>) {
  const url = `https://api.dexscreener.com/token-pairs/v1/${chain}/${contract}`
  const answer = yield* Upstream.json(url, Schema.Array(Schema.Unknown))
  const body = distinct(answer.body.filter((pair) => holds(pair, contract) || mayHold(pair)))
  // A list that has pairs of others is not one by contract: what is not told may be another's as well.
  if (answer.body.some((pair) => isForeign(pair, contract)) && !body.every((pair) => holds(pair, contract))) {
    return yield* Upstream.implausible(
      answer,
      "",
      "pairs of other tokens, and pairs whose tokens are not told"
    )
  }
  if (body.length > 0 && !body.some((pair) => holds(pair, contract))) {
    return yield* Upstream.implausible(answer, "", "no pair whose tokens can be told")
  }
  return { ...answer, body }
})

/** When somebody read the clients. */
const read = "2026-11-25"

export default Plugin.define({
  id: "dexscreener",
  title: "Decentralised exchange markets",
  covers: { catalog: "token_contract" },
  tier: "market",
  source: "dexscreener_pairs",
  hosts: ["api.dexscreener.com"],
  every: "30 minutes",
  timeout: "5 minutes",
  calls: 250,
  grade: "B",
  evidence: [
    {
      source: "dexscreener/google-sheets@3ab71b027654a22e14811432acb61798a1ac63a4 src/types.ts",
      read,
      members: [
        "chainId",
        "dexId",
        "pairAddress",
        "baseToken",
        "quoteToken",
        "priceUsd",
        "txns",
        "buys",
        "sells",
        "volume",
        "h24",
        "liquidity",
        "usd"
      ]
    },
    {
      // The operator's own client leaves out the address of the quote token.
      source: "nixonjoshua98/dexscreener@d3cbfda3cd1e7952df40c3b287d32a7952cf875a dexscreener/models.py",
      read,
      members: ["quoteToken", "address", "txns", "liquidity"]
    }
  ],
  terms: termsOn(read, "Data: DEX Screener, dexscreener.com", {
    address: "https://docs.dexscreener.com/api/api-terms-and-conditions",
    licence: "proprietary"
  }),
  relations: Dex.dexRelations,
  agreesWith: [
    {
      metric: "dex_price_usd",
      source: "geckoterminal_pools",
      tolerance: 0.1,
      why: "The price of the same token in its deepest pool; the two may know different pools, and are read at different minutes."
    }
  ],
  metrics: Dex.dexMetrics,
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = (yield* Upstream.targets).flatMap(({ chain, id, symbol }) => {
        const name = chain === undefined ? undefined : chains[chain]
        return name === undefined ? [] : [{ contract: id, symbol, chain: name }]
      })
      const outcomes = yield* Upstream.parts(targets.map((target) => [target, pairsOf(target)] as const))
      const answers = outcomes.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
      const [first] = answers
      if (first !== undefined && answers.every(({ body }) => body.length === 0)) {
        return yield* Upstream.implausible(first, "", `no pair of any of ${answers.length} tokens`)
      }
      return outcomes.flatMap(({ name: { contract, symbol }, outcome }) => {
        if (Result.isFailure(outcome)) return [Plugin.failedPart(outcome.failure, symbol)]
        const pairs = outcome.success.body.map((pair) => toPair(pair, contract))
        // Without a pair the token is not listed: nothing was measured.
        return pairs.length === 0 ? [] : observe(outcome.success, Dex.dexValues(pairs), { symbol })
      })
    })
})
