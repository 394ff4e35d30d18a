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
export const Capability = Schema.Literals(["cross_network", "engines", "divergence", "exports", "webhooks"])
export type Capability = typeof Capability.Type

interface Tier {
  readonly title: string
  readonly can: ReadonlyArray<Capability>
}

/** What each tier is called and unlocks, from the lowest to the highest: each includes everything of the ones before it. */
export const tierUnlocks: Readonly<Record<AccountTier, Tier>> = {
  free: { title: "Free", can: [] },
  agent: { title: "Agent", can: [] },
  design_partner: { title: "Design Partner", can: ["cross_network", "engines"] },
  institutional: { title: "Institutional", can: ["cross_network", "engines", "divergence", "webhooks"] },
  pro: { title: "Pro", can: ["cross_network", "engines", "divergence", "webhooks", "exports"] },
  enterprise: { title: "Enterprise", can: ["cross_network", "engines", "divergence", "webhooks", "exports"] }
}

/** The tiers with a capability, from the lowest on. */
export const tiersWith = (capability: Capability): ReadonlyArray<AccountTier> =>
  AccountTier.literals.filter((tier) => tierUnlocks[tier].can.includes(capability))

export const TierIncludes = Schema.Struct({
  networks: Schema.Literals(["sample", "all"]).annotate({
    description: "`all`: lists have every network; `sample`: a part that rotates each UTC day"
  }),
  history_days: Schema.NullOr(Schema.Int).annotate({
    description:
      "Days of history in views and in the archive's month and year files, today among them; null: all"
  }),
  calls_per_day: Schema.NullOr(Schema.Int).annotate({ description: "Calls per UTC day; null: no limit" }),
  calls_per_minute: Schema.NullOr(Schema.Int).annotate({ description: "Calls per minute; null: no limit" }),
  burst: Schema.Int.annotate({ description: "Calls at once" }),
  millis_per_minute: Schema.NullOr(Schema.Int).annotate({
    description: "Milliseconds of processor time per minute; null: no limit"
  }),
  bytes_per_minute: Schema.NullOr(Schema.Int).annotate({
    description: "Bytes sent per minute; null: no limit"
  }),
  streams: Schema.Int.annotate({ description: "Streams of /v1/stream that may be open at a time" }),
  alerts: Schema.Int.annotate({ description: "Alerts of /v1/alerts that an account can have" }),
  capabilities: Schema.Array(Capability).annotate({
    description:
      "`cross_network`: the views across networks, and /v1/history of every network; `engines`: the computed views; `divergence`: the divergence detector; `exports`: /v1/export; `webhooks`: /v1/webhooks"
  })
}).annotate({ identifier: "TierIncludes", description: "What a tier includes" })

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
  alone: Schema.optionalKey(
    Schema.String.annotate({ description: "What one such answer costs without the tier, and where" })
  ),
  note: Schema.String.annotate({ description: "What does not unlock it" })
}).annotate({ identifier: "HowToUnlock", description: "Which subscription unlocks this" })
