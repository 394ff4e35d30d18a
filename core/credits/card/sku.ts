/** What can be bought with a card besides packs. */
import type { AccountTier } from "../../wire/credits/tiers.ts"
import { type Micros, usd } from "../Money.ts"
import { oneShot } from "../pricing.ts"

interface Sku {
  readonly title: string
  readonly amount: Micros
  /** The tier of a subscription. A SKU without one is a one-off payment for credits. */
  readonly tier?: AccountTier
}

/** The payment for credits on a new key. */
export const oneShotSku = "dp_credits_499"

export const skus: Readonly<Record<string, Sku>> = {
  [oneShotSku]: { title: "Plumbline: 4.99 credits", amount: oneShot },
  dp_agent_499: { title: "Plumbline Agent, monthly", amount: usd("4.99"), tier: "agent" },
  dp_partner_199: { title: "Plumbline Design Partner, monthly", amount: usd("199"), tier: "design_partner" }
}

export const skuOf = (text: string): Sku | undefined => (Object.hasOwn(skus, text) ? skus[text] : undefined)

/** The SKUs with a tier. */
export const subscriptionSkus: ReadonlyArray<string> = Object.keys(skus).filter(
  (name) => skus[name]?.tier !== undefined
)

/** The SKU of a tier, if one is sold by card. */
export const skuOfTier = (tier: string): string | undefined =>
  subscriptionSkus.find((name) => skus[name]?.tier === tier)
