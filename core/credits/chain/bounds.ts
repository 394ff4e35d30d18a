/** Bounds of stablecoin top-ups. */
import { type Micros, usd } from "../Money.ts"

/** Bounds of a quote, published in `/v1/credits/crypto`. */
export const leastQuote: Micros = usd("1")
export const mostQuote: Micros = usd("10000")
export const quoteMinutes = 60
export const challengeMinutes = 10
