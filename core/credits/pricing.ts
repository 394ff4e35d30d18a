/** Products and prices: those of products from their definitions, those of pages from `wire/credits/reads.ts`, every other one from here. */
import { Schema } from "effect"
import { ProductKey, productKeys, productOf, restOf, soldPerRequest } from "../products/index.ts"
import type { Coverage } from "../wire/credits/coverage.ts"
import type { Buyer, Pricing, Reach, Section } from "../wire/credits/pricing.ts"
import { type WaysHere, WayToPay } from "../wire/credits/pricing.ts"
import { paidPathOf, type ReadPath, readPath, readPaths, soldReads } from "../wire/credits/reads.ts"
import type { AccountTier } from "../wire/credits/tiers.ts"
import { takesKnownAt } from "../wire/products/pointInTime.ts"
import { buyersOf } from "./buyers.ts"
import type { LimitSettings } from "./Limits.ts"
import { type Micros, toNumber, usd } from "./Money.ts"
import { openPaths, openWords, soldWords } from "./openData.ts"
import { includesOf } from "./tiers.ts"
import { listedWarranty, type Terms } from "./warranty/terms.ts"

/** What one page of a path costs that is read without a key: metered by x402 and subscriptions, never debited on a GET. */
export const readPriceOf = (path: ReadPath): Micros => usd(soldReads[path].price)

/** Where a page of a path is paid and for how much, in words; both as the price list has them. */
export const readPriceWords = (path: ReadPath): string =>
  `${toNumber(readPriceOf(path))} USD at ${paidPathOf(path)} (x402)`

/** List price of a query by MCP. */
export const mcpQueryPrice: Micros = usd("0.05")

/** The list price of a product. */
export const priceOf = (key: ProductKey): Micros => usd(productOf(key).sale.price)

/** The same for every path: a view that is metered costs what its product costs. */
const perQuery: Readonly<Record<string, Micros>> = {
  ...Object.fromEntries(readPaths.map((path) => [path, readPriceOf(path)])),
  ...Object.fromEntries(
    productKeys.flatMap((key) => {
      const { sale, view } = productOf(key)
      return view === undefined || sale.perQuery !== true ? [] : [[view.path, priceOf(key)]]
    })
  )
}

/** The optional inputs of a product, and their values. */
export const inputsOf = (key: ProductKey): Readonly<Record<string, string>> => {
  const { onlyNow, sale } = productOf(key)
  return { ...sale.inputs, ...(onlyNow === undefined ? { as_known_at: takesKnownAt } : {}) }
}

const isProductKey = Schema.is(ProductKey)

/** The text as a product key; undefined if it is not one. */
export const productKey = (text: string): ProductKey | undefined => (isProductKey(text) ? text : undefined)

/** The product with the content of a GET endpoint, if there is one. */
export const productAt = (rest: string): ProductKey | undefined =>
  productKeys.find((key) => restOf(key) === rest)

/** The encoder API: queries per day without and with a key, and how long a key is valid. The price is only listed. */
export const encoder = { freePerDay: 10, keyPerDay: 1000, keyDays: 30, perRequest: usd("0.10") } as const

/** Card packs; one dollar buys one credit. */
export const packs: ReadonlyArray<Micros> = [usd("20"), usd("99")]
export const oneShot: Micros = usd("4.99")

interface Subscription {
  readonly tier: AccountTier
  /** What an order by card names it; absent if it takes an agreement. */
  readonly sku?: string
  /** What a new order is charged. A running subscription keeps the price that it was sold at. */
  readonly price?: Micros
  readonly per?: "month" | "year"
  readonly from?: boolean
  readonly contents: string
}

const researchDesk =
  "All of Design Partner, and the research-desk engine suite (dilution map, divergence detector, revision ledger, " +
  "provenance rail, node quality, GPU supply and demand), the whole daily history in the views and in files of months and years, webhooks, 200 streams, " +
  "500,000 requests per day; by agreement"

export const subscriptions: ReadonlyArray<Subscription> = [
  { tier: "free", price: usd("0"), contents: "Browsing surfaces and samples" },
  {
    tier: "agent",
    sku: "dp_agent_499",
    price: usd("4.99"),
    per: "month",
    contents: "One key, 2,000 calls per day on the rotating network sample, provenance on every value"
  },
  {
    tier: "design_partner",
    sku: "dp_partner_199",
    price: usd("199"),
    per: "month",
    contents:
      "All networks, engines, cross-network views, 30 days of daily history, 100,000 requests per day; exports, webhooks " +
      "and the divergence detector excluded; the rate is locked for the life of the subscription"
  },
  {
    tier: "institutional",
    price: usd("2000"),
    per: "month",
    from: true,
    contents: researchDesk
  },
  {
    tier: "institutional",
    price: usd("20000"),
    per: "year",
    contents: researchDesk
  },
  { tier: "pro", contents: "All of Institutional, and exports; price by agreement" },
  { tier: "enterprise", contents: "All of Institutional, and exports; price by agreement" }
]

/** What a tier costs, in words. */
export const priceWords = (tier: AccountTier): string =>
  subscriptions
    .flatMap(({ from, per, price, tier: of }) =>
      of !== tier || price === undefined || per === undefined
        ? []
        : [`${from === true ? "from " : ""}${toNumber(price).toLocaleString("en-US")} USD per ${per}`]
    )
    .join(", or ") || "by agreement"

/** What a product is more than the pages of the path that shows the same. */
const wholeWords =
  "The whole in one delivery, with a receipt of its data, also as it was known at an earlier time."

/** What to know before buying: why it is withdrawn, or what of it is free and where, and what a page of it costs. */
const noteOf = (
  withdrawn: string | undefined,
  words: ReadonlyArray<string | undefined>
): { readonly note?: string } => {
  const note = withdrawn ?? words.filter((one) => one !== undefined).join(" ")
  return note === "" ? {} : { note }
}

const waysOfBuyer: Readonly<Record<Buyer, ReadonlyArray<WayToPay>>> = {
  keyless: ["credits", "card"],
  key: ["credits", "card", "stablecoin"],
  wallet: ["x402", "mpp"]
}

/** The ways that are open now for a product that can be delivered, and reach its price. */
const waysOf = (buyers: ReadonlyArray<Buyer>, ways: WaysHere): ReadonlyArray<WayToPay> =>
  WayToPay.literals.filter(
    (way) => ways[way].available && buyers.some((buyer) => waysOfBuyer[buyer].includes(way))
  )

/** Whether a product is sold now, and if not, why. */
const statusOf = (
  withdrawn: string | undefined,
  built: boolean,
  covers: Coverage | undefined
): (typeof Section.Type)["status"] => {
  if (withdrawn !== undefined) return "withdrawn"
  if (!built) return "not_built"
  return covers?.deliverable === false ? "nothing_to_deliver" : "available"
}

/** What the price list is made of beside the prices. */
export interface PricingFacts {
  /** Which products can be delivered. */
  readonly built: (key: ProductKey) => boolean
  /** What is open of the ways to pay. */
  readonly ways: WaysHere
  /** What each product covers now. */
  readonly coverage: ReadonlyMap<ProductKey, Coverage>
  /** What subscriptions read. */
  readonly reach?: Reach
  /** What a new key holds. */
  readonly starter: Micros
  /** What is promised of what is sold. */
  readonly terms?: Terms | undefined
  /** What is limited without a subscription. */
  readonly free: (typeof LimitSettings)["Service"]
}

/** The price list of this service; it has every way to pay. */
export type Prices = typeof Pricing.Type & { readonly ways: WaysHere }

/** The response of `GET /v1/credits/pricing`. */
export const pricing = ({ built, coverage, free, reach, starter, terms, ways }: PricingFacts): Prices => ({
  currency: "USD",
  credit: "1 credit is 1 USD",
  sections: Object.fromEntries(
    productKeys.map((key) => {
      const definition = productOf(key)
      const { withdrawn } = definition
      const { content, free: freeWords, perRequest } = definition.sale
      const price_usd = toNumber(priceOf(key))
      const inputs = inputsOf(key)
      const covers = coverage.get(key)
      const status = statusOf(withdrawn, built(key), covers)
      const buyers =
        status === "available"
          ? buyersOf({
              price: priceOf(key),
              isPerRequest: soldPerRequest.includes(key),
              ways,
              starter,
              oneShot
            })
          : []
      const rest = restOf(key)
      const query = rest === undefined ? undefined : perQuery[rest]
      const page = rest === undefined ? undefined : readPath(rest)
      return [
        key,
        {
          price_usd,
          status,
          content,
          ...(query === undefined ? {} : { per_query_usd: toNumber(query) }),
          ...(perRequest === true ? { x402_usd: price_usd } : {}),
          ways: waysOf(buyers, ways),
          buyers,
          ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
          ...(covers === undefined ? {} : { covers }),
          ...noteOf(withdrawn, [
            freeWords,
            page === undefined ? undefined : wholeWords,
            page === undefined || !ways.x402.available
              ? undefined
              : `A page of ${page} alone costs ${readPriceWords(page)}.`
          ])
        } as const
      ]
    })
  ),
  ways,
  open: { says: openWords, paths: openPaths },
  sold: soldWords,
  packs: { card_usd: packs.map(toNumber), one_shot_usd: toNumber(oneShot) },
  tiers: subscriptions.map(({ price, ...one }) => ({
    ...one,
    ...(price === undefined ? {} : { price_usd: toNumber(price) }),
    includes: includesOf(one.tier, free)
  })),
  ...(reach === undefined ? {} : { covers: reach }),
  ...(terms === undefined ? {} : { warranty: listedWarranty(terms) }),
  other_prices: {
    per_query_usd: Object.fromEntries(
      Object.entries(perQuery).map(([path, price]) => [path, toNumber(price)])
    ),
    per_query_at: Object.fromEntries(readPaths.map((path) => [path, paidPathOf(path)])),
    per_query_note:
      "Metered by x402 and subscriptions: no GET, MCP query or encoder request debits credits, with or without a key. " +
      "The paths of per_query_at sell one page each for exactly this price: every network and 30 days, as the Design " +
      "Partner tier reads them, outside the limits of reads. mcp_query_usd is what an answer costs that a tool of MCP is " +
      "asked for with pay: true.",
    mcp_query_usd: toNumber(mcpQueryPrice),
    matrix_encoder_request_usd: toNumber(encoder.perRequest),
    matrix_encoder_free_per_day: encoder.freePerDay
  }
})
