/** CoinGecko's list of coins at another time: price, supply and value of each follow from one another. */
import { Option, Schema } from "effect"
import { day, hour } from "../../core/plugin/time.ts"
import { firstDay } from "./instants.ts"
import { assetNamed, change, extremes, priced } from "./market.ts"
import { type Move, moved } from "./times.ts"
import { seedOf, wave } from "./walk.ts"

const Figure = Schema.NullOr(Schema.Finite)

const Coin = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.String,
    current_price: Schema.Finite,
    market_cap: Figure,
    market_cap_rank: Schema.optionalKey(Figure),
    fully_diluted_valuation: Figure,
    total_volume: Figure,
    circulating_supply: Figure,
    total_supply: Figure,
    max_supply: Figure,
    ath: Figure,
    atl: Figure,
    last_updated: Schema.NullOr(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
const Coins = Schema.fromJsonString(Schema.Array(Coin))

/** Whether a payload is such a list. */
export const isCoins = (text: string): boolean => Option.isSome(Schema.decodeUnknownOption(Coins)(text))

/** Growth of a supply in 30 days. */
const issuance = 0.003

const least = (...values: ReadonlyArray<number | null>): number =>
  Math.min(...values.map((value) => value ?? Infinity))

/** Hours back of each change in percent, by the member's name. */
const changes = {
  price_change_percentage_1h_in_currency: hour,
  price_change_percentage_24h: day,
  price_change_percentage_24h_in_currency: day,
  price_change_percentage_7d_in_currency: 7 * day,
  price_change_percentage_14d_in_currency: 14 * day,
  price_change_percentage_30d_in_currency: 30 * day,
  price_change_percentage_200d_in_currency: 200 * day,
  price_change_percentage_1y_in_currency: 365 * day
}

const percent = (now: number, before: number): number => Number(((now / before - 1) * 100).toFixed(5))

/** The pages of the list as they would have been at `move.to`. A figure that was not told, or was told as 0, stays so. */
export const coinsAt = (pages: ReadonlyArray<string>, move: Move): ReadonlyArray<string> => {
  const coins = pages.map((text) => Schema.decodeUnknownSync(Coins)(text).map((coin) => coinAt(coin, move)))
  const rankOf = ranks(coins.flat())
  return coins.map((page) =>
    JSON.stringify(
      page.map((coin) => {
        const rank = rankOf.get(coin)
        return rank === undefined ? coin : { ...coin, market_cap_rank: rank }
      })
    )
  )
}

/** The ranks given out anew, the best to the greatest value; those of coins that are not in the list stay free. */
const ranks = <A extends Pick<typeof Coin.Type, "market_cap" | "market_cap_rank">>(
  coins: ReadonlyArray<A>
): ReadonlyMap<A, number | undefined> => {
  const places = coins.flatMap(({ market_cap_rank }) => market_cap_rank ?? []).sort((a, b) => a - b)
  const inOrder = coins
    .filter(({ market_cap_rank }) => typeof market_cap_rank === "number")
    .toSorted((a, b) => (b.market_cap ?? 0) - (a.market_cap ?? 0))
  return new Map(inOrder.map((coin, place) => [coin, places[place]]))
}

const coinAt = (coin: typeof Coin.Type, move: Move) => {
  const asset = assetNamed(coin.id) ?? coin.id
  const priceAt = (ms: number) => priced(coin.current_price * change(asset, move.from, ms))
  const suppliesAt = (ms: number) => {
    const grown = (supply: number | null) =>
      supply === null ? null : Math.floor(supply * (1 + (issuance * (ms - move.from)) / (30 * day)))
    const total = coin.total_supply === null ? null : least(grown(coin.total_supply), coin.max_supply)
    const circulating =
      coin.circulating_supply === null ? null : least(grown(coin.circulating_supply), total, coin.max_supply)
    return { circulating, total }
  }
  const capAt = (ms: number): number => {
    const { circulating } = suppliesAt(ms)
    if (coin.market_cap === null || coin.market_cap === 0) return 0
    return circulating === null || circulating === 0
      ? coin.market_cap * change(asset, move.from, ms)
      : priceAt(ms) * circulating
  }
  const { to } = move
  const price = priceAt(to)
  const { circulating, total } = suppliesAt(to)
  const cap = capAt(to)
  const within = (from: number) => {
    const { high, low } = extremes(asset, move.from, from, to)
    return { high: priced(coin.current_price * high), low: priced(coin.current_price * low) }
  }
  const daily = within(to - day)
  const past = within(Math.min(firstDay, to))
  const ath = coin.ath === null ? null : Math.max(coin.ath, past.high)
  const atl = coin.atl === null ? null : Math.min(coin.atl, past.low)
  const all = coin.max_supply ?? total
  const diluted =
    all === null ? (coin.fully_diluted_valuation ?? 0) * change(asset, move.from, to) : price * all
  const figures = {
    current_price: price,
    market_cap: Math.round(cap),
    fully_diluted_valuation: Math.round(diluted),
    total_volume: Math.round(
      (coin.total_volume ?? 0) * Math.exp(0.5 * wave(seedOf(`volume|${asset}`), 1.5 * day, to))
    ),
    high_24h: daily.high,
    low_24h: daily.low,
    price_change_24h: priced(price - priceAt(to - day)),
    market_cap_change_24h: Math.round(cap - capAt(to - day)),
    market_cap_change_percentage_24h: percent(cap, capAt(to - day) || 1),
    circulating_supply: circulating,
    total_supply: total,
    ath,
    atl,
    ath_change_percentage: percent(price, ath ?? 1),
    atl_change_percentage: percent(price, atl ?? 1),
    ...Object.fromEntries(
      Object.entries(changes).map(([name, back]) => [name, percent(price, priceAt(to - back))])
    )
  }
  const present = Object.entries(figures).filter(
    ([name]) => coin[name] !== null && coin[name] !== undefined && coin[name] !== 0
  )
  return {
    ...coin,
    ...Object.fromEntries(present),
    last_updated: coin.last_updated === null ? null : moved("iso", coin.last_updated, move)
  }
}
