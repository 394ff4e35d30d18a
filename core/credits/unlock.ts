/** How to get what a tier does not include: the tier that does, its price, and the product with the same content. */
import { type ProductKey, soldPerRequest } from "../products/index.ts"
import {
  type AccountTier,
  type Capability,
  type HowToUnlock,
  type SameContent,
  tiersWith
} from "../wire/credits/tiers.ts"
import { TierTooLow } from "../wire/problems/accounts.ts"
import { skuOfTier } from "./card/sku.ts"
import { toNumber } from "./Money.ts"
import { priceOf, priceWords, productAt } from "./pricing.ts"
import { tiers } from "./tiers.ts"
import { pathOf } from "./x402/offer.ts"

/** What a call requires: a capability and, for a view, its GET endpoint. */
export interface Gated {
  readonly capability: Capability
  readonly rest?: string
  /** What one answer costs where it is sold by itself, and where. */
  readonly alone?: string
}

/** What depends on the service and on the caller: whether it takes cards and sells per request, and who asks. */
export interface Circumstances {
  readonly card: boolean
  readonly perRequest: boolean
  /** True for a caller with an account, which can subscribe itself. An order would make another account. */
  readonly hasAccount: boolean
}

/** The lowest tier with a capability, how to get it, and the product with the same content. */
export const howToUnlock = (
  { alone, capability, rest }: Gated,
  circumstances: Circumstances
): typeof HowToUnlock.Type => {
  const able = tiersWith(capability)
  const [least = "enterprise"] = able
  const sku = skuOfTier(least)
  const key = rest === undefined ? undefined : productAt(rest)
  return {
    required_tier: tiers[least].title,
    tiers: able.map((tier) => tiers[tier].title),
    capability,
    price: priceWords(least),
    how: sku === undefined ? byContract : howToSubscribe(sku, circumstances),
    ...(key === undefined ? {} : { product: sameContent(key, circumstances.perRequest) }),
    ...(alone !== undefined && circumstances.perRequest ? { alone } : {}),
    note:
      key === undefined
        ? "Credits never unlock this; they buy products through POST /v1/credits/purchase."
        : "Credits never unlock this path; they buy the product, which is delivered once."
  }
}

const byContract = "By agreement with the operator; see /v1/credits/pricing"

const howToSubscribe = (sku: string, { card, hasAccount }: Circumstances): string => {
  if (!card) return "Card payments are not configured on this service; ask its operator"
  return hasAccount
    ? `POST /v1/credits/subscription with {"sku": "${sku}"}, then pay at checkout_url`
    : `POST /buy/api/order with {"sku": "${sku}", "email": "<yours>"}, pay, then GET /v1/key/by-session`
}

const sameContent = (key: ProductKey, perRequest: boolean): typeof SameContent.Type => ({
  product_key: key,
  price_usd: toNumber(priceOf(key)),
  purchase: `POST /v1/credits/purchase with {"product_key": "${key}"}`,
  ...(perRequest && soldPerRequest.includes(key) ? { x402: pathOf(key) } : {})
})

/** The error for a view that the tier does not include. */
export const tierTooLow = (tier: AccountTier, unlock: typeof HowToUnlock.Type) => {
  const { alone, product } = unlock
  return new TierTooLow({
    message:
      `This requires the ${unlock.required_tier} tier; your tier is ${tiers[tier].title}. Credits do not change the tier` +
      (product === undefined
        ? "."
        : `, but buy the same content once as ${product.product_key} for ${product.price_usd} USD.`) +
      (alone === undefined ? "" : ` This answer alone costs ${alone}.`),
    tier,
    how_to_unlock: unlock
  })
}
