/** Tiers as one table of capabilities. Credits never move a tier: a subscription or the operator does. */
import { Schema } from "effect"
import { type Access, keyless } from "../data/read/Access.ts"
import { type Capability, type HowToUnlock, type SameContent, Tier } from "../wire/credits/tiers.ts"
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
  readonly can: ReadonlyArray<Capability>
}

const wide = { breadth: "all", historyDays: null, perDay: 100_000, perMinute: 3000, burst: 600 } as const

/** From the least to the most: a later tier can all that an earlier one can. */
export const tiers: Readonly<Record<Tier, Capabilities>> = {
  // Without a subscription a key is counted like no key: `LimitSettings` says how.
  free: {
    title: "Free",
    breadth: "sample",
    historyDays: 30,
    perDay: 1500,
    perMinute: 300,
    burst: 120,
    can: []
  },
  agent: {
    title: "Agent",
    breadth: "sample",
    historyDays: 30,
    perDay: 2000,
    perMinute: 300,
    burst: 120,
    can: []
  },
  design_partner: {
    ...wide,
    title: "Design Partner",
    historyDays: 30,
    can: ["cross_network", "engines"]
  },
  institutional: { ...wide, title: "Institutional", can: ["cross_network", "engines"] },
  pro: { ...wide, title: "Pro", can: ["cross_network", "engines", "exports"] },
  enterprise: { ...wide, title: "Enterprise", can: ["cross_network", "engines", "exports"] }
}

const isTier = Schema.is(Tier)

/** The tier a text names. One that we no longer know (a row of a newer release) is the least. */
export const tierOf = (text: string): Tier => (isTier(text) ? text : "free")

export const tierNames: ReadonlyArray<Tier> = Tier.literals

/** The higher of two tiers. */
export const higher = (a: Tier, b: Tier): Tier => (tierNames.indexOf(a) < tierNames.indexOf(b) ? b : a)

/** What a key of this tier sees of the lists and the history. */
export const accessOf = (tier: Tier): Access => {
  const { breadth, historyDays, title } = tiers[tier]
  const lists =
    breadth === "all"
      ? "lists hold every network"
      : "lists are a sample of networks that rotates each UTC day"
  const history = historyDays === null ? "all of the daily history" : `${historyDays} days of daily history`
  const more =
    breadth === "all" && historyDays === null
      ? ""
      : " Credits do not widen this: a subscription does, and a purchase delivers the full data once."
  return { breadth, historyDays, note: `${title} tier: ${lists}, ${history}.${more}` }
}

/** What a caller sees whose key we do not know: as without one, and told so. */
export const unknownKeyAccess: Access = {
  ...keyless,
  note: `The X-API-Key that was sent is not known, so it counts for nothing. ${keyless.note}`
}

/** What a caller asks of a tier: a capability, and the GET endpoint where it is one that shows something. */
export interface Gated {
  readonly capability: Capability
  readonly rest?: string
}

/** The least tier with a capability and how to get it, and what is sold of the same content. */
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
        : "By agreement with the operator: see /v1/credits/pricing",
    ...(key === undefined ? {} : { product: sameContent(key, perRequest) }),
    note:
      key === undefined
        ? "Credits never unlock this; they buy products through POST /v1/credits/purchase."
        : "Credits never unlock this address; they buy the product, which is delivered once."
  }
}

const sameContent = (key: ProductKey, perRequest: boolean): typeof SameContent.Type => ({
  product_key: key,
  price_usd: toNumber(catalog[key].price),
  purchase: `POST /v1/credits/purchase with {"product_key": "${key}"}`,
  ...(perRequest && soldPerRequest.includes(key) ? { x402: pathOf(key) } : {})
})

/** The refusal of a view that a tier does not open. */
export const tierTooLow = (tier: Tier, unlock: typeof HowToUnlock.Type) => {
  const { product } = unlock
  return new TierTooLow({
    message:
      `This needs the ${unlock.required_tier} tier; this caller has ${tiers[tier].title}. Credits do not change that` +
      (product === undefined
        ? "."
        : `, but buy the same content once as ${product.product_key} for ${product.price_usd} USD.`),
    tier,
    how_to_unlock: unlock
  })
}
