/** The limits as clients are told them: on the documentation page and in the OpenAPI description. */
import { apart } from "../../core/credits/Limits.ts"
import { siteFactor } from "../../core/credits/sites.ts"
import { tiers } from "../../core/credits/tiers.ts"
import type { Tier } from "../../core/wire/credits/tiers.ts"

/** Calls without a subscription, as the operator set them; null is no limit. */
export interface FreeLimits {
  readonly perMinute: number | null
  readonly perDay: number | null
  /** Keys that one network may make in a day. */
  readonly registrations: number | null
}

const grouped = (n: number): string => n.toLocaleString("en-US")

const calls = (perMinute: number | null, burst: number, perDay: number | null): string =>
  [
    ...(perMinute === null ? [] : [`${grouped(perMinute)} a minute in bursts of ${grouped(burst)}`]),
    ...(perDay === null ? [] : [`${grouped(perDay)} a day`])
  ].join(", ") || "no limit"

/** Paragraphs, with words in back-ticks. */
export const limitTexts = (free: FreeLimits): ReadonlyArray<string> => {
  const paid = (Object.keys(tiers) as Array<Tier>).filter((tier) => tier !== "free")
  const byCalls = Map.groupBy(paid, (tier) => {
    const { burst, perDay, perMinute } = tiers[tier]
    return calls(perMinute, burst, perDay)
  })
  return [
    `Calls without a key, or with one of no subscription: ${calls(free.perMinute, tiers.free.burst, free.perDay)}. ` +
      [...byCalls]
        .map(([limit, of]) => `${of.map((tier) => tiers[tier].title).join(", ")}: ${limit}.`)
        .join(" "),
    "Calls with a key of a subscription count for its account. Every other call counts for its originating network (an IPv4 " +
      `address, an IPv6 /64), and all networks of an IPv6 /48 together have ${siteFactor} times the quota of one. A free ` +
      "key counts for its account and its network, so more keys do not mean more calls. A day is a UTC day, counted over " +
      "all replicas; minutes and bursts are counted by each replica.",
    "Registering and paying are not reads, and are open to a network that has used up its day. Calls under " +
      "`/v1/credits/`, `/x402` and `/buy/` have a limit of their own " +
      `(${calls(apart.account.perMinute, apart.account.burst, null)}), and requests that carry an x402 payment another ` +
      `(${calls(apart.payment.perMinute, apart.payment.burst, null)}).` +
      (free.registrations === null ? "" : ` A network can make ${grouped(free.registrations)} keys a day.`) +
      ` Keys that do not exist are looked up ${grouped(apart.key.perMinute)} times a minute for a network.`,
    "`RateLimit-Policy` names the quotas of a call: `burst` is what may come at once and refills evenly over its `w`, " +
      "`minute` is a window that begins with its first call, `day` is the UTC day. `RateLimit` says how many calls are left " +
      "(`r`) and when the quota is whole again (`t`, in seconds). A refused call gets 429 with `Retry-After` and does not " +
      "count. `/v1/world`, `/health` and `/readyz` have no limit.",
    "An address has at most 2,048 characters, the headers 32 KiB, a body 64 KiB. The headers must arrive within 10 seconds " +
      "and the whole request within 30; otherwise the answer is 408 and the connection is closed. " +
      "Lists are paged by `limit` and `cursor`."
  ]
}
