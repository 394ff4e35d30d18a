/** The limits in words, for the documentation page and the OpenAPI description. */
import { ipv6PrefixFactor } from "../../core/credits/ipv6.ts"
import { apart } from "../../core/credits/Limits.ts"
import { tiers } from "../../core/credits/tiers.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"

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
      `address or an IPv6 /64); all networks of an IPv6 /48 together get ${ipv6PrefixFactor} times the quota of one. A free ` +
      "key counts against both its account and your network, so more keys do not mean more calls. Daily limits are per " +
      "UTC day and shared by all replicas; each replica counts minutes and bursts separately.",
    "Registration and payment do not count as reads, so they still work after the daily limit is used up. Calls under " +
      "`/v1/credits/`, `/x402` and `/buy/` have a separate limit " +
      `(${calls(apart.account.perMinute, apart.account.burst, null)}), and so do requests that carry an x402 payment ` +
      `(${calls(apart.payment.perMinute, apart.payment.burst, null)}). So do the files of the log under \`/v1/log/\` ` +
      `(${calls(apart.log.perMinute, apart.log.burst, null)}): anyone can follow or mirror it. Web pages and their files have a limit of their own as well ` +
      `(${calls(apart.pages.perMinute, apart.pages.burst, null)}).` +
      (free.registrations === null
        ? ""
        : ` A network can register ${grouped(free.registrations)} keys per day.`) +
      ` A network can try ${grouped(apart.key.perMinute)} unknown keys per minute.`,
    "`RateLimit-Policy` names the quotas that apply: `burst` limits simultaneous calls and refills evenly over its `w`, " +
      "`minute` is a window that begins with its first call, and `day` is the UTC day. `RateLimit` says how many calls are " +
      "left (`r`) and when the quota is full again (`t`, in seconds). A rejected call gets 429 with `Retry-After` and does " +
      "not count. `/v1/world`, `/health` and `/readyz` have no limit.",
    "A URL is limited to 2,048 characters, the headers to 32 KiB and a body to 64 KiB. The headers must arrive within 10 " +
      "seconds and the whole request within 30; otherwise the service responds with 408 and closes the connection. " +
      "Unknown members of a body are refused, and null members count as absent. Lists are paged with `limit` and `cursor`."
  ]
}
