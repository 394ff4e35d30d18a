/** Limits on what an upstream may cost. Every list and every wait has one. Tests may change single values. */
import type { Duration } from "effect"

export interface UpstreamLimits {
  /** From the start of a request to the last byte of its answer. */
  readonly timeout: Duration.Input
  /** Bytes of one answer, on the wire and after decoding alike. */
  readonly bytes: number
  /** Bytes of an answer's headers. */
  readonly headerBytes: number
  readonly urlLength: number
  readonly redirects: number
  /** Retries after 429, a 5xx or a broken connection. */
  readonly retries: number
  /** Wait before the first retry; doubles with each. */
  readonly backoff: Duration.Input
  /** The longest `Retry-After` that is waited for; a longer one ends the tries. */
  readonly longestWait: Duration.Input
  /** Requests to one host at a time, whichever plugins they are for. */
  readonly perHost: number
  /** Requests to one host a second, after a burst of as many. */
  readonly perSecond: number
  /** Consecutive failed exchanges that open the breaker of a host. */
  readonly failures: number
  /** How long the breaker stays open at first; doubles up to `longestOpen`. */
  readonly open: Duration.Input
  readonly longestOpen: Duration.Input
  /** Bounds of a listening window, over what a plugin asks. */
  readonly window: { readonly seconds: number; readonly messages: number; readonly bytes: number }
  /** Bytes of earlier answers kept for conditional requests. */
  readonly earlierBytes: number
}

export const defaults: UpstreamLimits = {
  timeout: "30 seconds",
  bytes: 32 * 1024 * 1024,
  headerBytes: 32 * 1024,
  urlLength: 8 * 1024,
  redirects: 5,
  retries: 2,
  backoff: "500 millis",
  longestWait: "20 seconds",
  perHost: 4,
  perSecond: 8,
  failures: 5,
  open: "30 seconds",
  longestOpen: "15 minutes",
  window: { seconds: 45, messages: 50_000, bytes: 16 * 1024 * 1024 },
  earlierBytes: 64 * 1024 * 1024
}
