/** What each tier includes. Only a subscription or the operator changes a tier; credits never do. */
import { Schema } from "effect"
import { type Access, keyless } from "../readings/read/Access.ts"
import { AccountTier, type Capability, type TierIncludes, tierUnlocks } from "../wire/credits/tiers.ts"
import type { CostLimits } from "./meter.ts"

interface Capabilities {
  readonly title: string
  readonly breadth: Access["breadth"]
  readonly historyDays: number | null
  /** Calls per UTC day and key. */
  readonly perDay: number
  /** Calls per minute and process, with bursts of `burst`. */
  readonly perMinute: number
  readonly burst: number
  /** What answers may cost per minute and process, which has 60,000 milliseconds of its event loop in a minute. */
  readonly cost: CostLimits
  /** Streams of events that may be open at a time, for each key and process. */
  readonly streams: number
  /** Alerts that an account can have. */
  readonly alerts: number
  readonly can: ReadonlyArray<Capability>
}

/** What an institution's desk reads: the whole history and its archive, with calls and streams for many readers. */
const institutional = {
  breadth: "all",
  historyDays: null,
  perDay: 500_000,
  perMinute: 6000,
  burst: 1200,
  // Two thirds of a process; a hundred whole exports.
  cost: { millisPerMinute: 40_000, bytesPerMinute: 4_000_000_000 },
  streams: 200,
  alerts: 1000
} as const

/** From lowest to highest: each tier includes everything of the ones before it. */
export const tiers: Readonly<Record<AccountTier, Capabilities>> = {
  // A key without a subscription is limited like a call without a key: see `LimitSettings`.
  free: {
    ...tierUnlocks.free,
    breadth: "sample",
    historyDays: 30,
    perDay: 1500,
    perMinute: 300,
    burst: 120,
    // A tenth of a process. All calls of a minute, each made anew, take 20 ms each before it is used up, and most take 1 to 5;
    // the bytes are as many of the middling lists, uncompressed.
    cost: { millisPerMinute: 6000, bytesPerMinute: 100_000_000 },
    streams: 5,
    alerts: 3
  },
  agent: {
    ...tierUnlocks.agent,
    breadth: "sample",
    historyDays: 30,
    perDay: 2000,
    perMinute: 300,
    burst: 120,
    cost: { millisPerMinute: 10_000, bytesPerMinute: 200_000_000 },
    streams: 10,
    alerts: 25
  },
  design_partner: {
    ...tierUnlocks.design_partner,
    breadth: "all",
    historyDays: 30,
    perDay: 100_000,
    perMinute: 3000,
    burst: 600,
    cost: { millisPerMinute: 20_000, bytesPerMinute: 1_000_000_000 },
    streams: 50,
    alerts: 100
  },
  institutional: {
    ...institutional,
    ...tierUnlocks.institutional
  },
  pro: {
    ...institutional,
    ...tierUnlocks.pro
  },
  enterprise: {
    ...institutional,
    ...tierUnlocks.enterprise
  }
}

/** The same as the price list says it; `free` are the limits that this service has without a subscription. */
export const includesOf = (
  tier: AccountTier,
  free: { readonly perDay: number | null; readonly perMinute: number | null }
): typeof TierIncludes.Type => {
  const { alerts, breadth, burst, can, historyDays, streams } = tiers[tier]
  const { perDay, perMinute } = tier === "free" ? free : tiers[tier]
  const cost = perMinute === null ? null : tiers[tier].cost
  return {
    networks: breadth,
    history_days: historyDays,
    calls_per_day: perDay,
    calls_per_minute: perMinute,
    burst,
    millis_per_minute: cost?.millisPerMinute ?? null,
    bytes_per_minute: cost?.bytesPerMinute ?? null,
    streams,
    alerts,
    capabilities: can
  }
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
