/** What each tier includes. Only a subscription or the operator changes a tier; credits never do. */
import { Schema } from "effect"
import { type Access, keyless } from "../data/read/Access.ts"
import { AccountTier, type Capability, type HowToUnlock, type SameContent } from "../wire/credits/tiers.ts"
import { TierTooLow } from "../wire/problems/accounts.ts"
import { type ProductKey, soldPerRequest } from "../wire/products/keys.ts"
import { toNumber } from "./Money.ts"
import { catalog, productAt } from "./pricing.ts"
import { pathOf } from "./x402/offer.ts"

interface Capabilities {
  readonly title: string
  readonly breadth: Access["breadth"]
  readonly historyDays: number | null
  /** Calls per UTC day and key. */
  readonly perDay: number
  /** Calls per minute and process, with bursts of `burst`. */
  readonly perMinute: number
  readonly burst: number
  /** Streams of events that may be open at a time, for each key and process. */
  readonly streams: number
  readonly can: ReadonlyArray<Capability>
}

const wide = {
  breadth: "all",
  historyDays: null,
  perDay: 100_000,
  perMinute: 3000,
  burst: 600,
  streams: 50
} as const

/** From lowest to highest: each tier includes everything of the ones before it. */
export const tiers: Readonly<Record<AccountTier, Capabilities>> = {
  // A key without a subscription is limited like a call without a key: see `LimitSettings`.
  free: {
    title: "Free",
    breadth: "sample",
    historyDays: 30,
    perDay: 1500,
    perMinute: 300,
    burst: 120,
    streams: 5,
    can: []
  },
  agent: {
    title: "Agent",
    breadth: "sample",
    historyDays: 30,
    perDay: 2000,
    perMinute: 300,
    burst: 120,
    streams: 10,
    can: []
  },
  design_partner: {
    ...wide,
    title: "Design Partner",
    historyDays: 30,
    can: ["cross_network", "engines"]
  },
  institutional: { ...wide, title: "Institutional", can: ["cross_network", "engines", "webhooks"] },
  pro: { ...wide, title: "Pro", can: ["cross_network", "engines", "exports", "webhooks"] },
  enterprise: { ...wide, title: "Enterprise", can: ["cross_network", "engines", "exports", "webhooks"] }
}

const isTier = Schema.is(AccountTier)

/** The tier with this name. An unknown one (written by a newer release) counts as the lowest. */
export const tierOf = (text: string): AccountTier => (isTier(text) ? text : "free")

export const tierNames: ReadonlyArray<AccountTier> = AccountTier.literals

/** The higher of two tiers. */
export const higher = (a: AccountTier, b: AccountTier): AccountTier =>
  tierNames.indexOf(a) < tierNames.indexOf(b) ? b : a

/** How much of the lists and the history a key of this tier sees. */
export const accessOf = (tier: AccountTier): Access => {
  const { breadth, historyDays, title } = tiers[tier]
  const lists =
    breadth === "all"
      ? "lists contain every network"
      : "lists contain a sample of networks that rotates each UTC day"
  const history = historyDays === null ? "the full daily history" : `${historyDays} days of daily history`
  const more =
    breadth === "all" && historyDays === null
      ? ""
      : " A subscription widens this and credits do not, but a purchase delivers the full data once."
  return { breadth, historyDays, note: `${title} tier: ${lists}, ${history}.${more}` }
}

/** Titles of the tiers with the whole daily history. */
export const tiersOfFullDepth: ReadonlyArray<string> = tierNames
  .filter((tier) => tiers[tier].historyDays === null)
  .map((tier) => tiers[tier].title)

/** What a caller with an unknown key sees: the same as without a key, and a note that says so. */
export const unknownKeyAccess: Access = {
  ...keyless,
  note: `The X-API-Key you sent is unknown, so it was ignored. ${keyless.note}`
}

/** What a caller sees whose key lacks the scope `read`. */
export const withoutReadAccess: Access = {
  ...keyless,
  note: `The X-API-Key you sent lacks the scope read, so it was ignored. ${keyless.note}`
}

/** What a call requires: a capability and, for a view, its GET endpoint. */
export interface Gated {
  readonly capability: Capability
  readonly rest?: string
}

/** The lowest tier with a capability, how to get it, and the product with the same content. */
export const howToUnlock = ({ capability, rest }: Gated, perRequest: boolean): typeof HowToUnlock.Type => {
  const able = tierNames.filter((tier) => tiers[tier].can.includes(capability))
  const [least = "enterprise"] = able
  const key = rest === undefined ? undefined : productAt(rest)
  return {
    required_tier: tiers[least].title,
    tiers: able.map((tier) => tiers[tier].title),
    capability,
    price: least === "design_partner" ? "199 USD per month" : "by agreement",
    how:
      least === "design_partner"
        ? 'POST /buy/api/order with {"sku": "dp_partner_199", "email": "<yours>"}, pay, then GET /v1/key/by-session'
        : "By agreement with the operator; see /v1/credits/pricing",
    ...(key === undefined ? {} : { product: sameContent(key, perRequest) }),
    note:
      key === undefined
        ? "Credits never unlock this; they buy products through POST /v1/credits/purchase."
        : "Credits never unlock this path; they buy the product, which is delivered once."
  }
}

const sameContent = (key: ProductKey, perRequest: boolean): typeof SameContent.Type => ({
  product_key: key,
  price_usd: toNumber(catalog[key].price),
  purchase: `POST /v1/credits/purchase with {"product_key": "${key}"}`,
  ...(perRequest && soldPerRequest.includes(key) ? { x402: pathOf(key) } : {})
})

/** The error for a view that the tier does not include. */
export const tierTooLow = (tier: AccountTier, unlock: typeof HowToUnlock.Type) => {
  const { product } = unlock
  return new TierTooLow({
    message:
      `This requires the ${unlock.required_tier} tier; your tier is ${tiers[tier].title}. Credits do not change the tier` +
      (product === undefined
        ? "."
        : `, but buy the same content once as ${product.product_key} for ${product.price_usd} USD.`),
    tier,
    how_to_unlock: unlock
  })
}
