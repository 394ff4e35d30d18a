/** The limits as clients are told them: on the documentation page and in the OpenAPI description. */

import { tiers } from "../../core/credits/tiers.ts"
import type { Tier } from "../../core/wire/credits/tiers.ts"

/** Calls without a subscription, as the operator set them; null is no limit. */
export interface FreeLimits {
  readonly perMinute: number | null
  readonly perDay: number | null
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
    "They are counted by account, and without a known key by originating network (an IPv4 address, an IPv6 /64). A day is " +
      "one of UTC, counted over all replicas; a minute is counted by each. `RateLimit-Policy` and `RateLimit` tell what " +
      "is left; what is refused is a 429 with `Retry-After`, and counts for nothing. `/v1/world` and `/health` have no limit.",
    "An address has at most 2,048 characters, the headers 32 KiB, a body 64 KiB. A request has to be in within 30 seconds. " +
      "Lists are paged by `limit` and `cursor`."
  ]
}
