import { Data } from "effect"

/**
 * Why there was no answer. The plugin sees it as `UpstreamUnreachable`.
 *
 * - `broken`: the connection failed; a retry may help.
 * - `slow`: the time limit was reached.
 * - `limit`: the answer is too large, has too many parts, or is malformed.
 * - `refused`: we do not allow the request. Says nothing about the upstream's health.
 */
export class TransportError extends Data.TaggedError("TransportError")<{
  readonly kind: "broken" | "slow" | "limit" | "refused"
  readonly detail: string
}> {}
