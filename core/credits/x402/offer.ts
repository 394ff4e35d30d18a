/** What is sold per request, and its offers, always made from the current price. */
import { Schema } from "effect"
import { type ProductKey, productKeys, productOf, soldPerRequest } from "../../products/index.ts"
import type { Micros } from "../Money.ts"
import { paidPathOf, priceOf, type ReadPath, readPaths, readPriceOf } from "../pricing.ts"
import type { Terms } from "./Settler.ts"
import { type PaymentRequired, paymentIdentifier, requirementsOf } from "./wire.ts"

/** What a sale is of, as the price list names it: a product, or a path that is read by the page. */
export const SoldKey = Schema.Literals([...productKeys, ...readPaths])
export type SoldKey = typeof SoldKey.Type

/** What one payment buys. */
export interface Item {
  readonly key: SoldKey
  readonly content: string
  readonly price: Micros
  /** URL of what is paid for. */
  readonly url: string
  /** What exactly is read: a request target. Absent for a product. */
  readonly target?: string
}

export const offeredKey = (name: string): ProductKey | undefined => soldPerRequest.find((key) => key === name)

export const pathOf = (key: string): string => `/x402/v1/data/${key}`

export const productItem = (key: ProductKey, baseUrl: string): Item => ({
  key,
  content: productOf(key).sale.content,
  price: priceOf(key),
  url: `${baseUrl}${pathOf(key)}`
})

const pageOf: Readonly<Record<ReadPath, string>> = {
  "/v1/networks": "One page of the catalog with every network",
  "/v1/network/{symbol}": "The latest value of every metric of one network",
  "/v1/provenance": "One page of the sources of every series",
  "/v1/supply": "One page of first-party telemetry of every network, or that of one network",
  "/v1/market": "One page of market figures of every network",
  "/v1/revenue": "One page of fees and value locked of every network",
  "/v1/history": "One page of 30 days of daily history: of networks, or of one metric of all"
}

/** One page of a path; `target` is its request with parameters, by default the path as the price list has it. */
export const readItem = (path: ReadPath, baseUrl: string, target: string = paidPathOf(path)): Item => ({
  key: path,
  content: pageOf[path],
  price: readPriceOf(path),
  url: `${baseUrl}${target}`,
  target
})

/** The offer for one item; `error` says why it is sent. One micro-dollar is the smallest unit of USDC. */
export const offerOf = (
  { content, price, url }: Item,
  terms: Terms,
  error = "PAYMENT-SIGNATURE header is required"
): PaymentRequired => ({
  x402Version: 2,
  error,
  resource: { url, description: content, mimeType: "application/json" },
  accepts: [requirementsOf(terms, price)],
  extensions: paymentIdentifier
})
