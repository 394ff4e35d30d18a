/** The tiers, what they can open, and how to get there. */
import { Schema } from "effect"

export const Tier = Schema.Literals(["free", "agent", "design_partner", "institutional", "pro", "enterprise"])
export type Tier = typeof Tier.Type

/** What a route can ask of a tier. */
export const Capability = Schema.Literals(["cross_network", "engines", "exports"])
export type Capability = typeof Capability.Type

export const HowToUnlock = Schema.Struct({
  required_tier: Schema.String.annotate({ description: "The least tier that can" }),
  tiers: Schema.Array(Schema.String).annotate({ description: "All tiers that can" }),
  capability: Capability.annotate({ description: "What the tier has to open" }),
  price: Schema.String.annotate({ description: "Price of the least tier" }),
  how: Schema.String.annotate({ description: "How to get it" }),
  note: Schema.String.annotate({ description: "What does not help" })
}).annotate({ identifier: "HowToUnlock", description: "Which subscription opens this" })
