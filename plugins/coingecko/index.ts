import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const number = Upstream.maybe(Schema.Finite)

const Coin = Schema.Struct({
  id: Schema.String,
  last_updated: Upstream.maybe(Upstream.TimeText),
  current_price: number,
  market_cap: number,
  market_cap_rank: number,
  fully_diluted_valuation: number,
  total_volume: number,
  high_24h: number,
  low_24h: number,
  price_change_24h: number,
  price_change_percentage_24h: number,
  market_cap_change_24h: number,
  market_cap_change_percentage_24h: number,
  circulating_supply: number,
  total_supply: number,
  max_supply: number,
  ath: number,
  ath_change_percentage: number,
  atl: number,
  atl_change_percentage: number,
  price_change_percentage_1h_in_currency: number,
  price_change_percentage_24h_in_currency: number,
  price_change_percentage_7d_in_currency: number,
  price_change_percentage_14d_in_currency: number,
  price_change_percentage_30d_in_currency: number,
  price_change_percentage_200d_in_currency: number,
  price_change_percentage_1y_in_currency: number
})
interface Coin extends Schema.Schema.Type<typeof Coin> {}

const page = (ids: ReadonlyArray<string>) =>
  `https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&ids=${ids.map(encodeURIComponent).join(",")}` +
  "&order=market_cap_desc&per_page=250&page=1&sparkline=false" +
  "&price_change_percentage=1h,24h,7d,14d,30d,200d,1y"

/** Ids in calls of at most 250, none with a query over 7,000 characters. */
const chunks = (ids: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<Array<string>> = []
  for (const id of ids) {
    const last = all.at(-1)
    if (last !== undefined && last.length < 250 && page([...last, id]).length <= 7000) last.push(id)
    else all.push([id])
  }
  return all
}

/** The upstream writes 0 where it does not know how many tokens circulate: then supply and cap are unmeasured. */
const capOf = (coin: Coin) =>
  (coin.circulating_supply ?? 0) === 0 && (coin.market_cap ?? 0) === 0
    ? {}
    : {
        market_cap_usd: coin.market_cap,
        market_cap_change_24h_usd: coin.market_cap_change_24h,
        market_cap_change_24h_pct: coin.market_cap_change_percentage_24h,
        circulating_supply: coin.circulating_supply
      }

const change = { unit: "pct", min: -100, collapse: 1 } as const

export default Plugin.define({
  id: "coingecko",
  title: "CoinGecko markets",
  covers: { catalog: "coingecko_id" },
  tier: "market",
  source: "coingecko_markets",
  hosts: ["api.coingecko.com"],
  every: "15 minutes",
  calls: 2,
  grade: "A",
  auth: {
    "api.coingecko.com": {
      setting: "COINGECKO_API_KEY",
      as: { header: "x-cg-demo-api-key" },
      optional: true
    }
  },
  owner: "plumbline",
  metrics: {
    price_usd: {
      unit: "usd",
      min: 0,
      meaning: "Price of one token, averaged over the markets CoinGecko tracks."
    },
    market_cap_usd: { unit: "usd", min: 0, meaning: "Price times circulating supply." },
    fully_diluted_valuation_usd: { unit: "usd", min: 0, meaning: "Price times maximum, else total, supply." },
    volume_24h_usd: { unit: "usd", min: 0, collapse: 1, meaning: "Traded value of the last 24 hours." },
    circulating_supply: { unit: "tokens", min: 0, meaning: "Tokens in circulation." },
    total_supply: { unit: "tokens", min: 0, meaning: "Tokens that exist." },
    max_supply: { unit: "tokens", min: 0, meaning: "Tokens that can ever exist, where there is a cap." },
    market_cap_rank: { unit: "rank", min: 1, collapse: 1, meaning: "Rank by market cap among all coins." },
    price_ath_usd: { unit: "usd", min: 0, meaning: "Highest price ever." },
    price_atl_usd: { unit: "usd", min: 0, meaning: "Lowest price ever." },
    price_high_24h_usd: { unit: "usd", min: 0, meaning: "Highest price of the last 24 hours." },
    price_low_24h_usd: { unit: "usd", min: 0, meaning: "Lowest price of the last 24 hours." },
    price_change_1h_pct: { ...change, meaning: "Price against one hour before." },
    price_change_24h_pct: { ...change, meaning: "Price against 24 hours before." },
    price_change_7d_pct: { ...change, meaning: "Price against 7 days before." },
    price_change_14d_pct: { ...change, meaning: "Price against 14 days before." },
    price_change_30d_pct: { ...change, meaning: "Price against 30 days before." },
    price_change_200d_pct: { ...change, meaning: "Price against 200 days before." },
    price_change_1y_pct: { ...change, meaning: "Price against one year before." },
    price_change_24h_usd: { unit: "usd", collapse: 1, meaning: "Price less that of 24 hours before." },
    market_cap_change_24h_pct: { ...change, meaning: "Market cap against 24 hours before." },
    market_cap_change_24h_usd: {
      unit: "usd",
      collapse: 1,
      meaning: "Market cap less that of 24 hours before."
    },
    price_from_ath_pct: { ...change, meaning: "Price against its highest ever." },
    price_from_atl_pct: { ...change, meaning: "Price against its lowest ever." }
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const symbolsOf = Map.groupBy(yield* Upstream.targets, ({ id }) => id)
      const outcomes = yield* Upstream.parts(
        chunks([...symbolsOf.keys()].sort()).map(
          (ids) => [ids, Upstream.json(page(ids), Schema.Array(Coin))] as const
        )
      )
      const answers = outcomes.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
      const [first] = answers
      if (first !== undefined && answers.every(({ body }) => body.length === 0)) {
        return yield* Upstream.implausible(first, "", `no coin of the ${symbolsOf.size} asked for`)
      }
      const rows = answers.flatMap((answer) =>
        answer.body.flatMap((coin) => {
          const as_of = Upstream.time(coin.last_updated)
          // Without its time a price may be years old: the Date header would make it look fresh.
          if (as_of === undefined) return []
          const values = {
            ...capOf(coin),
            price_usd: coin.current_price,
            fully_diluted_valuation_usd: coin.fully_diluted_valuation,
            volume_24h_usd: coin.total_volume,
            total_supply: coin.total_supply,
            max_supply: coin.max_supply,
            market_cap_rank: coin.market_cap_rank,
            price_ath_usd: coin.ath,
            price_atl_usd: coin.atl,
            price_high_24h_usd: coin.high_24h,
            price_low_24h_usd: coin.low_24h,
            price_change_1h_pct: coin.price_change_percentage_1h_in_currency,
            price_change_24h_pct:
              coin.price_change_percentage_24h ?? coin.price_change_percentage_24h_in_currency,
            price_change_7d_pct: coin.price_change_percentage_7d_in_currency,
            price_change_14d_pct: coin.price_change_percentage_14d_in_currency,
            price_change_30d_pct: coin.price_change_percentage_30d_in_currency,
            price_change_200d_pct: coin.price_change_percentage_200d_in_currency,
            price_change_1y_pct: coin.price_change_percentage_1y_in_currency,
            price_change_24h_usd: coin.price_change_24h,
            price_from_ath_pct: coin.ath_change_percentage,
            price_from_atl_pct: coin.atl_change_percentage
          }
          return (symbolsOf.get(coin.id) ?? []).flatMap(({ symbol }) =>
            observe(answer, values, {
              symbol,
              as_of,
              verify_url: `https://www.coingecko.com/en/coins/${encodeURIComponent(coin.id)}`
            })
          )
        })
      )
      // A page that was refused leaves its own coins unmeasured, and no others.
      const lost = outcomes.flatMap(({ outcome }) =>
        Result.isFailure(outcome) ? [Plugin.missed(outcome.failure, "*")] : []
      )
      return [...rows, ...lost]
    })
})
