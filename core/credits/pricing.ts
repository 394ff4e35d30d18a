/** Products and prices. Every price is defined here and nowhere else. */
import { Schema } from "effect"
import type { Coverage } from "../wire/credits/coverage.ts"
import type { Pricing, Reach } from "../wire/credits/pricing.ts"
import type { AccountTier } from "../wire/credits/tiers.ts"
import { ProductKey, productKeys, soldPerRequest } from "../wire/products/keys.ts"
import { refusedKnownAt, takesKnownAt } from "../wire/products/pointInTime.ts"
import type { LimitSettings } from "./Limits.ts"
import { type Micros, toNumber, usd } from "./Money.ts"
import { includesOf, tiers } from "./tiers.ts"

/** List prices per query: metered by x402 and subscriptions, never debited on a GET. */
const perQuery: Readonly<Record<string, Micros>> = {
  "/v1/networks": usd("0.005"),
  "/v1/network/{symbol}": usd("0.005"),
  "/v1/provenance": usd("0.005"),
  "/v1/supply": usd("0.02"),
  "/v1/market": usd("0.02"),
  "/v1/revenue": usd("0.02"),
  "/v1/history": usd("0.02"),
  "/v1/node-quality": usd("4.99"),
  "/v1/dilution-risk": usd("4.99"),
  "/v1/sector-health": usd("4.99"),
  "/v1/geo-concentration": usd("4.99"),
  "/v1/dev-velocity": usd("4.99"),
  "/v1/gpu-supply-demand": usd("9.99"),
  "/v1/competitive-landscape": usd("9.99"),
  "/v1/intel": usd("29.99")
}

interface Listing {
  readonly content: string
  readonly price: Micros
  /** The GET endpoint with the same content; its price per query, if any, is in `perQuery`. */
  readonly rest?: `/v1/${string}`
  readonly withdrawn?: string
  /** Optional inputs and their values. */
  readonly inputs?: Readonly<Record<string, string>>
}

/** Listings by product key. */
export const catalog: Readonly<Record<ProductKey, Listing>> = {
  depin_provenance: {
    content: "Full first-party supply snapshot, same breadth as the paid /v1/supply",
    price: usd("0.49"),
    rest: "/v1/supply"
  },
  depin_networks: {
    content: "Network catalog, coverage tiers, market summary",
    price: usd("0.99"),
    rest: "/v1/networks"
  },
  depin_revenue_snapshot: {
    content: "On-chain fee and revenue figures",
    price: usd("2.99"),
    rest: "/v1/revenue"
  },
  derivation_replay: {
    content: "Raw upstream payloads of one run, with the SHA-256 of each fetch and the collector's code hash",
    price: usd("2.99"),
    inputs: { run: "Id of a run of /v1/derivation; defaults to the newest run whose payloads may be resold" }
  },
  depin_enrichment: {
    content:
      "One-time field-level snapshot; each record has its build date, verify_url and a confidence score",
    price: usd("3.99")
  },
  depin_health_profile: {
    content: "Health profile for one fixed network; absent inputs are null and named; includes evidence_json",
    price: usd("4.99")
  },
  node_quality_score: {
    content: "Quality-adjusted node count (raw node count times active/raw) with methodology",
    price: usd("4.99"),
    rest: "/v1/node-quality"
  },
  dilution_risk_map: {
    content: "FDV/MC ratio per network in five classes",
    price: usd("4.99"),
    rest: "/v1/dilution-risk"
  },
  sector_health_index: {
    content: "Composite health per category with component weights",
    price: usd("4.99"),
    rest: "/v1/sector-health"
  },
  geo_concentration: {
    content: "Geographic distribution and concentration",
    price: usd("4.99"),
    rest: "/v1/geo-concentration"
  },
  dev_velocity: {
    content: "Repository activity: stars, forks, issues, days since push, active versus dormant",
    price: usd("4.99"),
    rest: "/v1/dev-velocity"
  },
  crypto_indicators: {
    content: "SMA, EMA, RSI, MACD, VWAP for 14 assets, latest 100 bars with OHLCV",
    price: usd("4.99"),
    rest: "/v1/indicators"
  },
  lead_lag_correlations: {
    content: "Hourly lead-lag runs with r, p and a within-run BH q-value",
    price: usd("7.99"),
    rest: "/v1/lead-lag"
  },
  depin_history: {
    content: "Daily snapshot history per network and metric: every day since 2026-08-06, of every network",
    price: usd("7.99"),
    rest: "/v1/history",
    inputs: {
      network: "A symbol of /v1/networks; defaults to every network",
      metric:
        "A metric of /v1/data-dictionary; defaults to all metrics of the network, or the headline metrics of every network",
      days: "Days to look back, 1 to 3650; defaults to every day since 2026-08-06, where history starts"
    }
  },
  gpu_supply_demand: {
    content: "Device-level GPU breakdown; available and in-use kept separate",
    price: usd("9.99"),
    rest: "/v1/gpu-supply-demand"
  },
  competitive_landscape: {
    content: "Category market share with HHI",
    price: usd("9.99"),
    rest: "/v1/competitive-landscape"
  },
  signal_ledger: {
    content: "Hash-chained signals: each row links the one before by prev_hash",
    price: usd("9.99"),
    rest: "/v1/signals",
    inputs: {
      limit: "Rows, newest first, 1 to 500; default 500",
      cursor: "next_cursor of an earlier purchase, to get older rows"
    }
  },
  depin_ai_intel: {
    content: "Per-network analyses: thesis, conviction, moat, risk",
    price: usd("14.99")
  },
  market_regime: {
    content: "Regime probabilities and a 0 to 100 stability index",
    price: usd("14.99"),
    rest: "/v1/market-regime"
  },
  depin_intel_bundle: {
    content:
      "Node quality, dilution, GPU, sector health, geo, dev velocity, competitive landscape and the analyses",
    price: usd("29.99"),
    rest: "/v1/intel"
  },
  depin_grades: {
    content: "A to F network grades",
    price: usd("9.99"),
    withdrawn: "Withdrawn until measured grades return; nothing is charged."
  },
  dag_manifold_30d: {
    content: "30 days of elevated access to the manifold-distance API (1,000 queries per day), key inline",
    price: usd("99")
  }
}

/** The optional inputs of a product, and their values. */
export const inputsOf = (key: ProductKey): Readonly<Record<string, string>> => ({
  ...catalog[key].inputs,
  ...(refusedKnownAt(key) === undefined ? { as_known_at: takesKnownAt } : {})
})

const isProductKey = Schema.is(ProductKey)

/** The text as a product key; undefined if it is not one. */
export const productKey = (text: string): ProductKey | undefined => (isProductKey(text) ? text : undefined)

/** The product with the content of a GET endpoint, if there is one. */
export const productAt = (rest: string): ProductKey | undefined =>
  productKeys.find((key) => catalog[key].rest === rest)

/** The encoder API: queries per day without and with a key, and how long a key is valid. The price is only listed. */
export const encoder = { freePerDay: 10, keyPerDay: 1000, keyDays: 30, perRequest: usd("0.10") } as const

/** Card packs; one dollar buys one credit. */
export const packs: ReadonlyArray<Micros> = [usd("20"), usd("99")]
export const oneShot: Micros = usd("4.99")

interface Subscription {
  readonly tier: AccountTier
  readonly sku?: string
  readonly price_usd?: number
  readonly per?: "month" | "year"
  readonly from?: boolean
  readonly contents: string
}

const researchDesk =
  "All of Design Partner, and the research-desk engine suite (dilution map, divergence detector, revision ledger, " +
  "provenance rail, node quality, GPU supply and demand), the whole daily history and its archive, webhooks, 200 streams, " +
  "500,000 requests per day; by agreement"

const subscriptions: ReadonlyArray<Subscription> = [
  { tier: "free", price_usd: 0, contents: "Browsing surfaces and samples" },
  {
    tier: "agent",
    sku: "dp_agent_499",
    price_usd: 4.99,
    per: "month",
    contents: "One key, 2,000 calls per day on the rotating network sample, provenance on every value"
  },
  {
    tier: "design_partner",
    sku: "dp_partner_199",
    price_usd: 199,
    per: "month",
    contents:
      "All networks, engines, cross-network views, 30 days of daily history, 100,000 requests per day; exports, webhooks " +
      "and the divergence detector excluded; the rate is locked for the life of the subscription"
  },
  {
    tier: "institutional",
    price_usd: 2000,
    per: "month",
    from: true,
    contents: researchDesk
  },
  {
    tier: "institutional",
    price_usd: 20_000,
    per: "year",
    contents: researchDesk
  },
  { tier: "pro", contents: "All of Institutional, and exports; price by agreement" },
  { tier: "enterprise", contents: "All of Institutional, and exports; price by agreement" }
]

/** What a tier costs, in words. */
export const priceWords = (tier: AccountTier): string =>
  subscriptions
    .flatMap(({ from, per, price_usd, tier: of }) =>
      of !== tier || price_usd === undefined || per === undefined
        ? []
        : [`${from === true ? "from " : ""}${price_usd.toLocaleString("en-US")} USD per ${per}`]
    )
    .join(", or ") || "by agreement"

/** What an order by card names the tier; undefined if it takes an agreement. */
export const skuOf = (tier: AccountTier): string | undefined =>
  subscriptions.find((one) => one.tier === tier)?.sku

/**
 * The response of `GET /v1/credits/pricing`: `built` says which products can be delivered, `coverage` what each of them
 * covers now, `reach` what subscriptions read, and `free` what is limited without one.
 */
export const pricing = (
  built: (key: ProductKey) => boolean,
  coverage: ReadonlyMap<ProductKey, Coverage> = new Map(),
  reach?: Reach,
  free: (typeof LimitSettings)["Service"] = tiers.free
): typeof Pricing.Type => ({
  currency: "USD",
  credit: "1 credit is 1 USD",
  sections: Object.fromEntries(
    productKeys.map((key) => {
      const { content, price, rest, withdrawn } = catalog[key]
      const inputs = inputsOf(key)
      const covers = coverage.get(key)
      const query = rest === undefined ? undefined : perQuery[rest]
      return [
        key,
        {
          price_usd: toNumber(price),
          status: withdrawn !== undefined ? "withdrawn" : built(key) ? "available" : "not_built",
          content,
          ...(query === undefined ? {} : { per_query_usd: toNumber(query) }),
          ...(soldPerRequest.includes(key) ? { x402_usd: toNumber(price) } : {}),
          ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
          ...(covers === undefined ? {} : { covers }),
          ...(withdrawn === undefined ? {} : { note: withdrawn })
        } as const
      ]
    })
  ),
  packs: { card_usd: packs.map(toNumber), one_shot_usd: toNumber(oneShot) },
  tiers: subscriptions.map((one) => ({ ...one, includes: includesOf(one.tier, free) })),
  ...(reach === undefined ? {} : { covers: reach }),
  other_prices: {
    per_query_usd: Object.fromEntries(
      Object.entries(perQuery).map(([path, price]) => [path, toNumber(price)])
    ),
    per_query_note:
      "Metered by x402 and subscriptions: no GET, MCP query or encoder request debits credits, with or without a key.",
    mcp_query_usd: 0.05,
    matrix_encoder_request_usd: toNumber(encoder.perRequest),
    matrix_encoder_free_per_day: encoder.freePerDay
  }
})
