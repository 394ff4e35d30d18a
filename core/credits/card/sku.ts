/** What can be bought with a card besides packs. */
import { type AccountTier, tierUnlocks } from "../../wire/credits/tiers.ts"
import type { Micros } from "../Money.ts"
import { oneShot, subscriptions } from "../pricing.ts"

interface Sku {
  readonly title: string
  readonly amount: Micros
  /** The tier of a subscription. A SKU without one is a one-off payment for credits. */
  readonly tier?: AccountTier
}

/** The payment for credits on a new key. */
export const oneShotSku = "dp_credits_499"

const ofSubscriptions = subscriptions.flatMap(
  ({ price, sku, tier }): ReadonlyArray<readonly [string, Sku]> =>
    sku === undefined || price === undefined
      ? []
      : [[sku, { title: `Plumbline ${tierUnlocks[tier].title}, monthly`, amount: price, tier }]]
)

export const skus: Readonly<Record<string, Sku>> = {
  [oneShotSku]: { title: "Plumbline: 4.99 credits", amount: oneShot },
  ...Object.fromEntries(ofSubscriptions)
}

export const skuOf = (text: string): Sku | undefined => (Object.hasOwn(skus, text) ? skus[text] : undefined)

/** The SKUs with a tier. */
export const subscriptionSkus: ReadonlyArray<string> = Object.keys(skus).filter(
  (name) => skus[name]?.tier !== undefined
)

/** The SKU of a tier, if one is sold by card. */
export const skuOfTier = (tier: string): string | undefined =>
  subscriptionSkus.find((name) => skus[name]?.tier === tier)
