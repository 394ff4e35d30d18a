/** Tiers, what they unlock, and how to get one. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

export const AccountTier = Schema.Literals([
  "free",
  "agent",
  "design_partner",
  "institutional",
  "pro",
  "enterprise"
])
export type AccountTier = typeof AccountTier.Type

/** What a route can require of a tier. */
export const Capability = Schema.Literals(["cross_network", "engines", "exports", "webhooks"])
export type Capability = typeof Capability.Type

/** A product with the same content as a view, for callers without a subscription. */
export const SameContent = Schema.Struct({
  product_key: Schema.String.annotate({ description: "Use it in POST /v1/credits/purchase" }),
  price_usd: Usd,
  purchase: Schema.String.annotate({ description: "How to buy it with credits" }),
  x402: Schema.optionalKey(
    Schema.String.annotate({ description: "Path to buy it per request, without an account" })
  )
}).annotate({ identifier: "SameContent", description: "A product with the same content" })

export const HowToUnlock = Schema.Struct({
  required_tier: Schema.String.annotate({ description: "The lowest tier that unlocks it" }),
  tiers: Schema.Array(Schema.String).annotate({ description: "All tiers that unlock it" }),
  capability: Capability.annotate({ description: "The capability the tier must include" }),
  price: Schema.String.annotate({ description: "Price of the lowest tier" }),
  how: Schema.String.annotate({ description: "How to get it" }),
  product: Schema.optionalKey(SameContent),
  note: Schema.String.annotate({ description: "What does not unlock it" })
}).annotate({ identifier: "HowToUnlock", description: "Which subscription unlocks this" })
