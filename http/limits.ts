/** The place where limits are asked, before anything is read or answered, also by what the byte cache answers. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { Callers } from "../core/credits/Callers.ts"
import * as Core from "../core/credits/Limits.ts"

export interface Caller {
  /** Originating network, as `networkOf` gives it. */
  readonly network: string
  /** Path of the request without its query. */
  readonly path: string
}

export interface Verdict {
  readonly allowed: boolean
  /** Whole seconds until the next request is allowed; absent where this one is. */
  readonly retryAfter?: number
  /** `RateLimit` and `RateLimit-Policy`, as name, value, name, value; empty where the path has no limit. */
  readonly headers: ReadonlyArray<string>
}

/** Who owns the limits provides this; without it every call is allowed. */
export const Limits = Context.Reference<{
  /** Counts one call without a key. Never waits: the byte cache asks it too. */
  readonly keyless: (caller: Caller) => Verdict
  /** Counts one call with a key, known or not. */
  readonly keyed: (key: Redacted.Redacted, caller: Caller) => Effect.Effect<Verdict>
}>("http/Limits", {
  defaultValue: () => ({ keyless: () => allowed, keyed: () => Effect.succeed(allowed) })
})

const allowed: Verdict = { allowed: true, headers: [] }

/** Spec 4.1 and design 9: the gauges and the liveness probe have none; Stripe's calls must not be turned away. */
const unlimited: ReadonlySet<string> = new Set(["/v1/world", "/health", "/webhooks/stripe"])

/** The limits of `core/credits`: a key that is not known counts for its network, so guessing is no way past them. */
export const layer = Layer.effect(
  Limits,
  Effect.gen(function* () {
    const limits = yield* Core.Limits
    const callers = yield* Callers
    return {
      keyless: ({ network, path }) => (unlimited.has(path) ? allowed : limits.keyless(network)),
      keyed: (key, { network, path }) =>
        unlimited.has(path)
          ? Effect.succeed(allowed)
          : Effect.map(Effect.orDie(callers.identify(key)), ({ account, tier }) =>
              account === undefined ? limits.keyless(network) : limits.keyed(account.id, tier)
            )
    }
  })
)
