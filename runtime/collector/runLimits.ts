/** Limits of a single run, and how failing plugins are retried. */
import type { Duration } from "effect"

export interface RunLimits {
  /** For manifests without their own time limit. */
  readonly timeout: Duration.Input
  readonly rows: number
  readonly refusals: number
  /** Requests, answered or not. */
  readonly requests: number
  /** Bytes of all bodies. */
  readonly bytes: number
}

export const runLimits: RunLimits = {
  timeout: "1 minute",
  rows: 50_000,
  refusals: 10_000,
  requests: 2_000,
  bytes: 64 * 1024 * 1024
}

export interface BackoffPolicy {
  /** First runs are spread over this time, or over the plugin's cadence if that is shorter. */
  readonly spread: Duration.Input
  /** Consecutive failures that open the breaker. */
  readonly failures: number
  /** Wait after the first failure; doubles, and is never longer than the cadence. */
  readonly retry: Duration.Input
  /** How long the breaker is open at first; doubles up to `longestOpen`. */
  readonly open: Duration.Input
  readonly longestOpen: Duration.Input
}

export const defaultBackoff: BackoffPolicy = {
  spread: "30 seconds",
  failures: 3,
  retry: "1 minute",
  open: "5 minutes",
  longestOpen: "1 hour"
}
