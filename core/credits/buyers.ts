/** Who can pay a price here now: by the kind of caller, since what one of them holds is his own. */
import type { Buyer, WaysHere } from "../wire/credits/pricing.ts"
import type { Micros } from "./Money.ts"

/** What a product costs, and what is open for it. */
interface Priced {
  readonly price: Micros
  /** Sold without an account. */
  readonly isPerRequest: boolean
  readonly ways: WaysHere
  /** What a new key holds. */
  readonly starter: Micros
  /** What one payment by card puts on a new key. */
  readonly oneShot: Micros
}

/**
 * `keyless`: whoever takes a free key, or pays once by card; `key`: whoever can add credits to a key; `wallet`: whoever signs a
 * payment per request. None: nothing here reaches the price.
 */
export const buyersOf = ({ isPerRequest, oneShot, price, starter, ways }: Priced): ReadonlyArray<Buyer> => {
  const addsCredits = ways.card.available || ways.stablecoin.available
  const isFree = price <= starter
  return [
    ...(isFree || (ways.card.available && price <= oneShot) ? (["keyless"] as const) : []),
    ...(isFree || addsCredits ? (["key"] as const) : []),
    ...(isPerRequest && (ways.x402.available || ways.mpp.available) ? (["wallet"] as const) : [])
  ]
}
