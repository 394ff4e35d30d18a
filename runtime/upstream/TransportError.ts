import { Data } from "effect"

/**
 * Why there was no answer, inside the live form; the plugin sees it as `UpstreamUnreachable`.
 *
 * - `broken`: the connection failed; another try may help.
 * - `slow`: the time was up.
 * - `limit`: too large, too many, or not understandable as an answer.
 * - `refused`: we do not go there. Says nothing about the upstream's health.
 */
export class TransportError extends Data.TaggedError("TransportError")<{
  readonly kind: "broken" | "slow" | "limit" | "refused"
  readonly detail: string
}> {}
