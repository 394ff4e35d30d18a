import { Effect, Result, Schema } from "effect"
import {
  atMost,
  mayDropToZero,
  metric,
  type Numeric,
  notHandedOn,
  Plugin,
  parameter,
  signed,
  termsOn,
  Upstream
} from "#plugin"
import { at, combine, figure, textAt } from "#plugin/fields"

/** Metric and field. */
const fields = {
  price_usd: "current_price",
  fully_diluted_valuation_usd: "fully_diluted_valuation",
  volume_24h_usd: "total_volume",
  total_supply: "total_supply",
  max_supply: "max_supply",
  market_cap_rank: "market_cap_rank",
  price_ath_usd: "ath",
  price_atl_usd: "atl",
  price_high_24h_usd: "high_24h",
  price_low_24h_usd: "low_24h",
  price_change_1h_pct: "price_change_percentage_1h_in_currency",
  price_change_24h_pct: "price_change_percentage_24h",
  price_change_7d_pct: "price_change_percentage_7d_in_currency",
  price_change_14d_pct: "price_change_percentage_14d_in_currency",
  price_change_30d_pct: "price_change_percentage_30d_in_currency",
  price_change_200d_pct: "price_change_percentage_200d_in_currency",
  price_change_1y_pct: "price_change_percentage_1y_in_currency",
  price_change_24h_usd: "price_change_24h",
  price_from_ath_pct: "ath_change_percentage",
  price_from_atl_pct: "atl_change_percentage"
} as const

/** Those that mean nothing where it is not known how many tokens circulate. */
const capFields = {
  market_cap_usd: "market_cap",
  market_cap_change_24h_usd: "market_cap_change_24h",
  market_cap_change_24h_pct: "market_cap_change_percentage_24h",
  circulating_supply: "circulating_supply"
} as const

/** Those that the operator's own client names; the changes over other times come only where they are asked for. */
const ofDocument = Object.fromEntries(
  Object.entries({ ...fields, ...capFields }).filter(([, field]) => !field.endsWith("_in_currency"))
)

/** When somebody read the client and the terms. */
const read = "2026-11-25"

type Name = keyof typeof fields | keyof typeof capFields
type Values = { readonly [K in Name]?: Numeric | undefined }

/**
 * A coin's figures, read one by one: an odd one costs no other row. The upstream writes 0 where it does not know how many
 * tokens circulate: then supply and cap are unmeasured.
 */
const valuesOf = (coin: unknown) => {
  const [supply = 0, cap = 0] = ["circulating_supply", "market_cap"].map((field) => figure(at(coin, field)))
  const isKnown = combine([supply, cap], ([supply, cap]) => supply > 0 || cap > 0)
  const read = isKnown === false ? fields : { ...fields, ...capFields }
  const values: Values = {}
  return Object.assign(
    values,
    Object.fromEntries(Object.entries(read).map(([metric, field]) => [metric, figure(at(coin, field))]))
  )
}

/** What cannot exceed what: part, whole. */
const parts = [
  ["circulating_supply", "total_supply"],
  ["circulating_supply", "max_supply"],
  ["market_cap_usd", "fully_diluted_valuation_usd"]
] as const

/** The figures of a coin may be of different moments: a part may pass its whole by this much. */
const slack = 1.01

/** A whole that is smaller than its part is refused: the part is researched, the whole is often read on one chain of many. */
const contradictions = (values: Values, symbol: string): ReadonlyArray<Plugin.Refusal> =>
  parts.flatMap(([part, whole]) => {
    const [less, more] = [values[part], values[whole]]
    return combine([less, more], ([less, more]) => less > more * slack) === true
      ? [{ symbol, metric: whole, reason: `${more} is less than ${part}, which is ${less}` }]
      : []
  })

const page = (ids: ReadonlyArray<string>) =>
  `https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&ids=${ids.map(encodeURIComponent).join(",")}` +
  "&order=market_cap_desc&per_page=250&page=1&sparkline=false" +
  "&price_change_percentage=1h,24h,7d,14d,30d,200d,1y"

/** Ids in calls of at most 250, none with a query over 7,000 characters. */
const chunks = (ids: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<Array<string>> = []
  const empty = page([]).length
  let length = 7000
  for (const id of ids) {
    const last = all.at(-1)
    length += encodeURIComponent(id).length + 1
    if (last !== undefined && last.length < 250 && length <= 7000) last.push(id)
    else {
      all.push([id])
      length = empty + encodeURIComponent(id).length
    }
  }
  return all
}

const change = (meaning: string) => mayDropToZero("pct", meaning, { min: -100 })

/** A difference near nought is easily twice as large a quarter of an hour later. */
const nearNought = { relative: 0.5 }

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
  evidence: [
    {
      source:
        "coingecko/coingecko-typescript@6d505863fae210afd29289ada707de77ee4faebb src/resources/coins/markets.ts",
      read,
      members: ["id", "last_updated", ...Object.values(ofDocument)]
    }
  ],
  terms: termsOn(read, "Data: CoinGecko, coingecko.com", {
    address: "https://www.coingecko.com/en/api_terms",
    licence: "proprietary",
    ...notHandedOn,
    quote:
      "However, you are not permitted to sell, rent, lease, sub-license, re-distribute or syndicate access to the CoinGecko API or part thereof."
  }),
  relations: [atMost("price_low_24h_usd", "price_high_24h_usd"), atMost("price_atl_usd", "price_ath_usd")],
  agreesWith: [
    {
      metric: "price_usd",
      source: "dexscreener_pairs",
      as: "dex_price_usd",
      tolerance: 0.2,
      why: "The price of the same token, here over all markets and there in its deepest pool, where little trade moves it far."
    }
  ],
  auth: {
    "api.coingecko.com": {
      setting: "COINGECKO_API_KEY",
      as: { header: "x-cg-demo-api-key" },
      optional: true
    }
  },
  metrics: {
    price_usd: metric("usd", "Price of one token, averaged over the markets CoinGecko tracks."),
    market_cap_usd: metric("usd", "Price times circulating supply, as CoinGecko publishes it."),
    fully_diluted_valuation_usd: metric("usd", "Price times maximum, else total, supply."),
    volume_24h_usd: mayDropToZero(
      "usd",
      "Traded value of the last 24 hours, on the markets CoinGecko tracks.",
      {
        mayJump: "A token that hardly anybody traded yesterday may be traded for any sum today."
      }
    ),
    circulating_supply: metric("tokens", "Tokens in circulation."),
    total_supply: metric("tokens", "Tokens that exist."),
    max_supply: parameter("tokens", "Tokens that can ever exist, where there is a cap."),
    market_cap_rank: mayDropToZero("rank", "Rank by market cap among all coins.", { min: 1 }),
    price_ath_usd: metric("usd", "Highest price ever."),
    price_atl_usd: metric("usd", "Lowest price ever."),
    price_high_24h_usd: metric("usd", "Highest price of the last 24 hours."),
    price_low_24h_usd: metric("usd", "Lowest price of the last 24 hours."),
    price_change_1h_pct: change("Price against one hour before."),
    price_change_24h_pct: change("Price against 24 hours before."),
    price_change_7d_pct: change("Price against 7 days before."),
    price_change_14d_pct: change("Price against 14 days before."),
    price_change_30d_pct: change("Price against 30 days before."),
    price_change_200d_pct: change("Price against 200 days before."),
    price_change_1y_pct: change("Price against one year before."),
    price_change_24h_usd: signed("usd", "Price less that of 24 hours before.", {
      collapse: 1,
      agrees: nearNought
    }),
    market_cap_change_24h_pct: change("Market cap against 24 hours before."),
    market_cap_change_24h_usd: signed("usd", "Market cap less that of 24 hours before.", {
      collapse: 1,
      agrees: nearNought
    }),
    price_from_ath_pct: change("Price against its highest ever."),
    price_from_atl_pct: change("Price against its lowest ever.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const symbolsOf = Map.groupBy(yield* Upstream.targets, ({ id }) => id)
      const outcomes = yield* Upstream.parts(
        chunks([...symbolsOf.keys()].sort()).map(
          (ids) => [ids, Upstream.json(page(ids), Schema.Array(Schema.Unknown))] as const
        )
      )
      const answers = outcomes.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : []))
      const coins = answers.flatMap((answer) =>
        answer.body.flatMap((coin) => {
          const id = textAt(coin, "id") ?? ""
          const networks = symbolsOf.get(id)
          return networks === undefined ? [] : [{ answer, coin, id, networks }]
        })
      )
      const [first] = answers
      if (first !== undefined && coins.length === 0) {
        return yield* Upstream.implausible(first, "", `no coin of the ${symbolsOf.size} asked for`)
      }
      const rows = coins.flatMap(({ answer, coin, id, networks }): ReadonlyArray<Plugin.CollectedPart> => {
        const updated = at(coin, "last_updated")
        // Without its time a price may be years old: the Date header would make it look fresh.
        if (updated === null || updated === undefined) return []
        const as_of = Upstream.time(String(updated))
        const odd = Upstream.implausible(answer, `last_updated of ${id}`, "not a time as ISO 8601 text")
        const verify_url = `https://www.coingecko.com/en/coins/${encodeURIComponent(id)}`
        const values = valuesOf(coin)
        return networks.flatMap(({ symbol }): ReadonlyArray<Plugin.CollectedPart> => {
          if (typeof as_of !== "number") return [Plugin.failedPart(odd, symbol)]
          const refused = contradictions(values, symbol)
          const sound = { ...values, ...Object.fromEntries(refused.map(({ metric }) => [metric, undefined])) }
          return [...observe(answer, sound, { symbol, as_of, verify_url }), ...refused]
        })
      })
      // A page that was refused leaves its own coins unmeasured, and no others.
      const lost = outcomes.flatMap(({ outcome }) =>
        Result.isFailure(outcome) ? [Plugin.failedPart(outcome.failure, "*")] : []
      )
      return [...rows, ...lost]
    })
})
