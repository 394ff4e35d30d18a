import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Fields from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Token = Upstream.maybe(Schema.Struct({ address: Schema.String }))

const Pair = Schema.Struct({
  chainId: Schema.String,
  dexId: Schema.String,
  baseToken: Token,
  quoteToken: Token,
  priceUsd: Fields.text,
  txns: Upstream.maybe(
    Schema.Struct({ h24: Upstream.maybe(Schema.Struct({ buys: Fields.count, sells: Fields.count })) })
  ),
  volume: Upstream.maybe(Schema.Struct({ h24: Fields.number })),
  liquidity: Upstream.maybe(Schema.Struct({ usd: Fields.number }))
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

/** Hexadecimal addresses are the same in any case; others, such as those of Solana, are not. */
const sameAddress = (a: string | undefined, b: string): boolean =>
  a === b || (b.startsWith("0x") && a?.toLowerCase() === b.toLowerCase())

const swaps = ({ txns }: Pair): number | undefined => Fields.sum([txns?.h24?.buys, txns?.h24?.sells])

/** A pool that is over 1,000 times as large as its day's trade, with no swap, is decoration. */
const isFake = (pair: Pair): boolean =>
  swaps(pair) === 0 && (pair.liquidity?.usd ?? 0) > 1000 * (pair.volume?.h24 ?? 0)

/** The sum of what was measured; of nothing measured, nothing. */
const sumOf = (values: ReadonlyArray<number | null | undefined>) =>
  Fields.sum(values.filter((value) => value !== null && value !== undefined))

const valuesOf = (pairs: ReadonlyArray<Pair>, contract: string) => {
  const sound = pairs.filter((pair) => !isFake(pair))
  const [deepest] = sound
    .filter(({ baseToken, priceUsd }) => sameAddress(baseToken?.address, contract) && priceUsd != null)
    .toSorted((a, b) => (b.liquidity?.usd ?? 0) - (a.liquidity?.usd ?? 0))
  const counted = pairs.filter((pair) => swaps(pair) !== undefined)
  const active = counted.filter((pair) => (swaps(pair) ?? 0) > 0)
  return {
    // Where the token is the quote, the price is the other token's.
    dex_price_usd: deepest?.priceUsd,
    dex_liquidity_usd: sumOf(sound.map(({ liquidity }) => liquidity?.usd)),
    dex_volume_24h_usd: sumOf(pairs.map(({ volume }) => volume?.h24)),
    dex_swaps_24h: sumOf(counted.map(swaps)),
    dex_pairs_active: counted.length === 0 ? undefined : active.length,
    dex_venues_active:
      counted.length === 0
        ? undefined
        : new Set(active.map(({ chainId, dexId }) => `${chainId} ${dexId}`)).size
  }
}

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
  metrics: {
    dex_price_usd: {
      unit: "usd",
      min: 0,
      meaning: "Price in the pair with the most liquidity in which the token is the base."
    },
    dex_liquidity_usd: {
      unit: "usd",
      min: 0,
      meaning: "Liquidity of all pairs that hold the token, pools without any trade left out."
    },
    dex_volume_24h_usd: {
      unit: "usd",
      min: 0,
      collapse: 1,
      meaning: "Traded value of all pairs that hold the token, in the last 24 hours."
    },
    dex_swaps_24h: {
      unit: "count",
      min: 0,
      collapse: 1,
      meaning: "Buys and sells in all pairs that hold the token, in the last 24 hours."
    },
    dex_pairs_active: {
      unit: "count",
      min: 0,
      collapse: 1,
      meaning: "Pairs that hold the token and saw a swap in the last 24 hours."
    },
    dex_venues_active: {
      unit: "count",
      min: 0,
      collapse: 1,
      meaning: "Exchanges with such a pair, per chain."
    }
  },
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
            sameAddress(baseToken?.address, contract) || sameAddress(quoteToken?.address, contract)
        )
        // Without a pair the token is not listed: nothing was measured.
        return holding.length === 0 ? [] : observe(outcome.success, valuesOf(holding, contract), { symbol })
      })
    })
})
