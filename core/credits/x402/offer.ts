/** The products sold per request and their offers, always made from the current price. */
import { type ProductKey, productOf, soldPerRequest } from "../../products/index.ts"
import { priceOf } from "../pricing.ts"
import type { Terms } from "./Settler.ts"
import { type PaymentRequired, paymentIdentifier, requirementsOf } from "./wire.ts"

export const offeredKey = (name: string): ProductKey | undefined => soldPerRequest.find((key) => key === name)

export const pathOf = (key: string): string => `/x402/v1/data/${key}`

/** The offer for one product; `error` says why it is sent. One micro-dollar is the smallest unit of USDC. */
export const offerOf = (
  key: ProductKey,
  terms: Terms,
  baseUrl: string,
  error = "PAYMENT-SIGNATURE header is required"
): PaymentRequired => ({
  x402Version: 2,
  error,
  resource: {
    url: `${baseUrl}${pathOf(key)}`,
    description: productOf(key).sale.content,
    mimeType: "application/json"
  },
  accepts: [requirementsOf(terms, priceOf(key))],
  extensions: paymentIdentifier
})
