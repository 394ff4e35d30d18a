/**
 * When to retry, and how long to wait before. A POST is retried like a GET: what collectors post are queries,
 * which change nothing upstream.
 */
import { Duration } from "effect"
import type { UpstreamLimits } from "./limits.ts"
import type { TransportError } from "./TransportError.ts"

/** Milliseconds that a `Retry-After` asks to wait: delta seconds or an HTTP date; undefined when it is neither. */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text) * 1000
  // RFC 9110 dates only: Date.parse takes nearly anything, a bare "-5" with it.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** What one try gave, as far as the next depends on it. */
export type TryResult =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly trouble: TransportError }

/**
 * Milliseconds to wait before try number `tried + 1`, or undefined to let the outcome stand. A wait that the upstream
 * asks for and that is longer than `longestWait` ends the tries: a hostile value cannot stall a run. A time-out is
 * not retried, because a hanging upstream would use up the whole run.
 */
export const waitBefore = (
  outcome: TryResult,
  tried: number,
  now: number,
  limits: UpstreamLimits,
  random: number
): number | undefined => {
  if (tried > limits.retries) return undefined
  if ("trouble" in outcome) {
    if (outcome.trouble.kind !== "broken") return undefined
  } else if (outcome.status !== 429 && outcome.status < 500) return undefined
  const own = Duration.toMillis(limits.backoff) * 2 ** (tried - 1) * (0.75 + random / 2)
  const retryAfterMillis = "trouble" in outcome ? undefined : retryAfter(outcome.headers["retry-after"], now)
  const wait = Math.max(own, retryAfterMillis ?? 0)
  return wait > Duration.toMillis(limits.longestWait) ? undefined : wait
}
