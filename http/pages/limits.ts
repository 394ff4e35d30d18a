/** The limits in words, for the documentation page and the OpenAPI description. */
import { apart } from "../../core/credits/Limits.ts"
import type { CostLimits } from "../../core/credits/meter.ts"
import { tiers } from "../../core/credits/tiers.ts"
import { wideQuotaFactor } from "../../core/process/network.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"
import { turns } from "../admission/turns.ts"

/** Limits of calls without a subscription, as configured; null means no limit. */
export interface FreeLimits {
  readonly perMinute: number | null
  readonly perDay: number | null
  /** Keys that one network may register per day. */
  readonly registrations: number | null
}

const grouped = (n: number): string => n.toLocaleString("en-US")

const calls = (perMinute: number | null, burst: number, perDay: number | null): string =>
  [
    ...(perMinute === null ? [] : [`${grouped(perMinute)} per minute in bursts of up to ${grouped(burst)}`]),
    ...(perDay === null ? [] : [`${grouped(perDay)} per day`])
  ].join(", ") || "no limit"

const cost = (limits: CostLimits | null): string =>
  limits === null
    ? "no limit"
    : `${grouped(limits.millisPerMinute / 1000)} s and ${grouped(limits.bytesPerMinute / 1e6)} MB`

/** What answers may cost per minute, in words. */
const costText = (free: FreeLimits): string => {
  const own = (limits: CostLimits | null) => cost(free.perMinute === null ? null : limits)
  const byCost = Map.groupBy(Object.keys(tiers) as Array<AccountTier>, (tier) =>
    tier === "free" ? own(tiers.free.cost) : cost(tiers[tier].cost)
  )
  const ofTiers = [...byCost].map(
    ([limit, of]) =>
      `${of.map((tier) => (tier === "free" ? "no subscription" : tiers[tier].title)).join(", ")}: ${limit}.`
  )
  return (
    "Answers also cost processor time, in milliseconds of the work to make them, and the bytes of their bodies as sent. Both come out of " +
    "buckets that refill evenly over a minute, of the same caller that the call counts for. They are charged once the cost is " +
    "known, so the call after a bucket is empty gets 429, and waits longer the more the last answer cost. An answer that is ready costs " +
    "next to no time, and a HEAD or a 304 no bytes. Per minute and process: " +
    `${ofTiers.join(" ")} Pages (${own(apart.pages.cost)}), files of the log (${own(apart.log.cost)}) and calls under ` +
    `\`/v1/credits/\`, \`/x402\` and \`/buy/\` without a subscription (${own(apart.account.cost)}) have buckets of their own; requests that carry an ` +
    "x402 payment that decodes have none. Daily limits count calls, whatever they cost."
  )
}

/** How answers that have to be made take turns, in words. */
const turnText =
  "Answers that are not ready are made a few at a time, whichever way they are asked for. Of seven turns, keys that exist and payments that " +
  `decode where something is sold have ${turns.identified}, calls without a key ${turns.keyless} and pages ${turns.pages}; a class that waits ` +
  "for nothing leaves its turns to the others. Within a class networks take turns, and within a network its accounts. Too many calls of one " +
  "network that wait get 429 with `Retry-After`. `/v1/world`, `/health`, probes and the keys never wait."

/** Paragraphs with code in backticks. */
export const limitTexts = (free: FreeLimits): ReadonlyArray<string> => {
  const paid = (Object.keys(tiers) as Array<AccountTier>).filter((tier) => tier !== "free")
  const byCalls = Map.groupBy(paid, (tier) => {
    const { burst, perDay, perMinute } = tiers[tier]
    return calls(perMinute, burst, perDay)
  })
  return [
    `Calls without a key, or with a key that has no subscription: ${calls(free.perMinute, tiers.free.burst, free.perDay)}. ` +
      [...byCalls]
        .map(([limit, of]) => `${of.map((tier) => tiers[tier].title).join(", ")}: ${limit}.`)
        .join(" "),
    "Calls with the key of a subscription count against its account. All other calls count against your network (an IPv4 " +
      `address or an IPv6 /64); all networks of an IPv4 /16 or an IPv6 /32 together get ${wideQuotaFactor} times the quota of one. A free ` +
      "key counts against both its account and your network, so more keys do not mean more calls. Daily limits are per " +
      "UTC day and shared by all replicas; each replica counts minutes and bursts separately.",
    "Registration and payment do not count as reads, so they still work after the daily limit is used up. Calls under " +
      "`/v1/credits/`, `/x402` and `/buy/` have a separate limit " +
      `(${calls(apart.account.perMinute, apart.account.burst, null)}), and so do requests that carry an x402 payment, once it decodes, ` +
      `(${calls(apart.payment.perMinute, apart.payment.burst, null)}). So do the files of the log under \`/v1/log/\` ` +
      `(${calls(apart.log.perMinute, apart.log.burst, null)}): anyone can follow or mirror it. Web pages and their files have a limit of their own as well ` +
      `(${calls(apart.pages.perMinute, apart.pages.burst, null)}).` +
      (free.registrations === null
        ? ""
        : ` A network can register ${grouped(free.registrations)} keys per day.`) +
      ` A network can try ${grouped(apart.key.perMinute)} unknown keys per minute.`,
    costText(free),
    turnText,
    "`RateLimit-Policy` names the quotas that apply: `burst` limits simultaneous calls and refills evenly over its `w`, " +
      "`minute` is a window that begins with its first call, `day` is the UTC day, and `millis` and `bytes` are what answers may cost. `RateLimit` says how much is " +
      "left (`r`) and when the quota is full again (`t`, in seconds). A rejected call gets 429 with `Retry-After`, its `quota` says which is used up, and it does " +
      "not count. `/v1/world`, `/health` and `/readyz` have no limit.",
    "A URL is limited to 2,048 characters, the headers to 32 KiB and a body to 64 KiB. The headers must arrive within 10 " +
      "seconds and the whole request within 30; otherwise the service responds with 408 and closes the connection. " +
      "Unknown members of a body are refused, and null members count as absent. Lists are paged with `limit` and `cursor`."
  ]
}
