import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Dex from "../../core/plugin/shapes/dex.ts"
import * as Fields from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Token = Schema.Struct({ address: Schema.NonEmptyString })

const Pair = Schema.Struct({
  chainId: Schema.NonEmptyString,
  dexId: Schema.NonEmptyString,
  baseToken: Token,
  quoteToken: Token,
  priceUsd: Fields.text,
  txns: Upstream.maybe(
    Schema.Struct({ h24: Upstream.maybe(Schema.Struct({ buys: Fields.count, sells: Fields.count })) })
  ),
  volume: Upstream.maybe(Schema.Struct({ h24: Fields.quantity })),
  liquidity: Upstream.maybe(Schema.Struct({ usd: Fields.quantity }))
})
interface Pair extends Schema.Schema.Type<typeof Pair> {}

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

const toPair = (pair: Pair, contract: string): Dex.Pair => ({
  venue: `${pair.chainId} ${pair.dexId}`,
  // Where the token is the quote, the price is the other token's.
  price: Dex.sameAddress(pair.baseToken.address, contract) ? (pair.priceUsd ?? null) : undefined,
  swaps: Fields.sum([pair.txns?.h24?.buys, pair.txns?.h24?.sells]),
  volume: pair.volume?.h24,
  liquidity: pair.liquidity?.usd
})

export default Plugin.define({
  id: "dexscreener",
  title: "Decentralised exchange markets",
  covers: { catalog: "token_contract" },
  tier: "market",
  source: "dexscreener_pairs",
  hosts: ["api.dexscreener.com"],
  every: "30 minutes",
  timeout: "5 minutes",
  calls: 200,
  grade: "B",
  owner: "plumbline",
  metrics: Dex.dexMetrics,
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = (yield* Upstream.targets).flatMap(({ chain, id, symbol }) => {
        const name = chain === undefined ? undefined : chains[chain]
        return name === undefined ? [] : [{ contract: id, symbol, chain: name }]
      })
      const outcomes = yield* Upstream.parts(
        targets.map((target) => {
          const url = `https://api.dexscreener.com/token-pairs/v1/${target.chain}/${target.contract}`
          return [target, Upstream.json(url, Schema.Array(Pair))] as const
        })
      )
      const answers = outcomes.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
      const [first] = answers
      if (first !== undefined && answers.every(({ body }) => body.length === 0)) {
        return yield* Upstream.implausible(first, "", `no pair of any of ${answers.length} tokens`)
      }
      return outcomes.flatMap(({ name: { contract, symbol }, outcome }) => {
        if (Result.isFailure(outcome)) return [Plugin.missed(outcome.failure, symbol)]
        const { body } = outcome.success
        const holding = body.filter(
          ({ baseToken, quoteToken }) =>
            Dex.sameAddress(baseToken.address, contract) || Dex.sameAddress(quoteToken.address, contract)
        )
        // Without a pair the token is not listed: nothing was measured.
        return holding.length === 0
          ? []
          : observe(outcome.success, Dex.dexValues(holding.map((pair) => toPair(pair, contract))), { symbol })
      })
    })
})
