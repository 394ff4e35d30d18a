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

/** The gauges and the liveness probe have none; Stripe's calls must not be turned away. */
const unlimited: ReadonlySet<string> = new Set(["/v1/world", "/health", "/webhooks/stripe"])

/** The encoder API has keys and quotas of its own. */
const encoderPath = "/v1/manifold/distance"

/** The limits of `core/credits`: a key that is not known counts for its network, so guessing is no way past them. */
export const layer = Layer.effect(
  Limits,
  Effect.gen(function* () {
    const limits = yield* Core.Limits
    const callers = yield* Callers
    /** Paths where the key makes no difference. */
    const ofPath = ({ network, path }: Caller): Verdict | undefined =>
      unlimited.has(path) ? allowed : path === encoderPath ? limits.encoder(network) : undefined
    return {
      keyless: (caller) => ofPath(caller) ?? limits.keyless(caller.network),
      keyed: Effect.fnUntraced(function* (key, caller) {
        const verdict = ofPath(caller)
        if (verdict !== undefined) return verdict
        const { account, tier } = yield* Effect.orDie(callers.identify(key))
        return account === undefined ? limits.keyless(caller.network) : limits.keyed(account.id, tier)
      })
    }
  })
)
