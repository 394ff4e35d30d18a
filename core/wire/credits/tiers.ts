/** The tiers, what they can open, and how to get there. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

export const Tier = Schema.Literals(["free", "agent", "design_partner", "institutional", "pro", "enterprise"])
export type Tier = typeof Tier.Type

/** What a route can ask of a tier. */
export const Capability = Schema.Literals(["cross_network", "engines", "exports"])
export type Capability = typeof Capability.Type

/** A product that holds what a view shows, for who does not want a subscription. */
export const SameContent = Schema.Struct({
  product_key: Schema.String.annotate({ description: "The product, as POST /v1/credits/purchase takes it" }),
  price_usd: Usd,
  purchase: Schema.String.annotate({ description: "How to buy it with credits" }),
  x402: Schema.optionalKey(
    Schema.String.annotate({ description: "Where it is sold per request, without an account" })
  )
}).annotate({ identifier: "SameContent", description: "A product with the same content" })

export const HowToUnlock = Schema.Struct({
  required_tier: Schema.String.annotate({ description: "The least tier that can" }),
  tiers: Schema.Array(Schema.String).annotate({ description: "All tiers that can" }),
  capability: Capability.annotate({ description: "What the tier has to open" }),
  price: Schema.String.annotate({ description: "Price of the least tier" }),
  how: Schema.String.annotate({ description: "How to get it" }),
  product: Schema.optionalKey(SameContent),
  note: Schema.String.annotate({ description: "What does not help" })
}).annotate({ identifier: "HowToUnlock", description: "Which subscription opens this" })
