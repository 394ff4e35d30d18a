/** Stablecoin top-ups on the wire, and how they are refused. */
import { Schema } from "effect"
import { type Micros, usd } from "../Money.ts"

/** Bounds of a quote, published in `/v1/credits/crypto`. */
export const leastQuote: Micros = usd("1")
export const mostQuote: Micros = usd("10000")
export const quoteMinutes = 60
export const challengeMinutes = 10

/** Stablecoin top-ups are not to be had now; the reason is in `/v1/credits/crypto`, too. */
export class CryptoUnavailable extends Schema.TaggedError<CryptoUnavailable>()("CryptoUnavailable", {
  message: Schema.String
}) {}

/** The wallet, or its signature, is not one that we take. */
export class WalletRefused extends Schema.TaggedError<WalletRefused>()("WalletRefused", {
  field: Schema.String,
  message: Schema.String
}) {}

/** This key has not verified the wallet. */
export class WalletUnverified extends Schema.TaggedError<WalletUnverified>()("WalletUnverified", {
  message: Schema.String
}) {}
