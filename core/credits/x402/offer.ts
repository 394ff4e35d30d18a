/** What is sold per request, and its offers, always made from the current price. */
import { Schema } from "effect"
import { type ProductKey, productKeys, productOf, soldPerRequest } from "../../products/index.ts"
import { paidPathOf, type ReadPath, readPaths, soldReads } from "../../wire/credits/reads.ts"
import type { Micros } from "../Money.ts"
import { mcpQueryPrice, priceOf, readPriceOf } from "../pricing.ts"
import type { Terms } from "./Settler.ts"
import { type PaymentRequired, paymentIdentifier, requirementsOf } from "./wire.ts"

/** What a sale is of, as the price list names it: a product, a path that is read by the page, or a query by MCP. */
export const SoldKey = Schema.Literals([...productKeys, ...readPaths, "mcp_query"])
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

/** One page of a path; `target` is its request with parameters, by default the path as the price list has it. */
export const readItem = (path: ReadPath, baseUrl: string, target: string = paidPathOf(path)): Item => ({
  key: path,
  content: soldReads[path].content,
  price: readPriceOf(path),
  url: `${baseUrl}${target}`,
  target
})

/** One answer of a tool; `target` names the tool and its arguments. */
export const queryItem = (url: string, content: string, target: string): Item => ({
  key: "mcp_query",
  content,
  price: mcpQueryPrice,
  url,
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
