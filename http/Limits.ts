/** The place where limits are asked, before anything is read or answered, also by what the byte cache answers. */
import { Cache, Context, Effect, Exit, Layer, type Redacted } from "effect"
import { isKey } from "../core/credits/Accounts.ts"
import { Callers } from "../core/credits/Callers.ts"
import * as Core from "../core/credits/Limits.ts"

export interface Caller {
  /** Originating network, as `networkOf` gives it. */
  readonly network: string
  /** Path of the request without its query. */
  readonly path: string
  /** True where the request carries a payment. */
  readonly pays: boolean
}

export interface Verdict {
  readonly allowed: boolean
  /** Whole seconds until the next request is allowed; absent where this one is. */
  readonly retryAfter?: number
  /** `RateLimit` and `RateLimit-Policy`, as name, value, name, value; empty where the path has no limit. */
  readonly headers: ReadonlyArray<string>
}

const allowed: Verdict = { allowed: true, headers: [] }

/** Whether a call may be answered. */
export class Limits extends Context.Service<
  Limits,
  {
    /** Counts one call without a key. Never waits: the byte cache asks it too. */
    readonly keyless: (caller: Caller) => Verdict
    /** Counts one call with a key, known or not. */
    readonly keyed: (key: Redacted.Redacted, caller: Caller) => Effect.Effect<Verdict>
  }
>()("http/Limits") {
  /** The limits of `core/credits`: a key that is not known counts for its network, so guessing is no way past them. */
  static readonly layer = Layer.effect(
    Limits,
    Effect.gen(function* () {
      const limits = yield* Core.Limits
      const callers = yield* Callers
      /**
       * Whose keys were sent in the last seconds, and which are nobody's: one query for all who send a key at once. It
       * is not interrupted with the first of them, since the others wait for it.
       */
      const seen = yield* Cache.makeWith(
        (key: Redacted.Redacted) => Effect.uninterruptible(Effect.orDie(callers.identify(key))),
        { capacity: 10_000, timeToLive: (exit) => (Exit.isSuccess(exit) ? remembered : 0) }
      )

      /** Paths where the key makes no difference. */
      const ofPath = ({ network, path, pays }: Caller): Verdict | undefined => {
        if (unlimited.has(path)) return allowed
        if (path === encoderPath) return limits.encoder(network)
        return pays && path.startsWith(salePath) ? limits.payment(network) : undefined
      }

      const keyless = ({ network, path }: Caller): Verdict =>
        isOfAccounts(path) ? limits.account(network) : limits.keyless(network)

      return Limits.of({
        keyless: (caller) => ofPath(caller) ?? keyless(caller),
        keyed: Effect.fnUntraced(function* (key, caller) {
          const verdict = ofPath(caller)
          if (verdict !== undefined) return verdict
          if (!isKey(key)) return keyless(caller)
          const { network, path } = caller
          const isSeen = yield* Cache.has(seen, key)
          if (!isSeen) {
            const lookUp = limits.lookUp(network)
            if (!lookUp.allowed) return lookUp
          }
          const { account, tier } = yield* Effect.onError(Cache.get(seen, key), () =>
            // A database that is away says nothing about the key.
            isSeen ? Effect.void : Effect.sync(() => limits.found(network))
          )
          if (account === undefined) return keyless(caller)
          if (!isSeen) limits.found(network)
          return isOfAccounts(path)
            ? limits.account(network, { id: account.id, tier })
            : limits.keyed(account.id, tier, network)
        })
      })
    })
  )
}

/** How long limits go by what a key was: a new tier counts after this. */
export const remembered = "5 seconds"

/** The gauges and the liveness probe have none; Stripe's calls must not be turned away. */
const unlimited: ReadonlySet<string> = new Set(["/v1/world", "/health", "/readyz", "/webhooks/stripe"])

/** The encoder API has keys and quotas of its own. */
const encoderPath = "/v1/manifold/distance"

/** What is sold per request. */
const salePath = "/x402/v1/data/"

/** Paths of accounts and money: they have limits of their own, so that a network that has read its day full can pay. */
const isOfAccounts = (path: string): boolean =>
  path.startsWith("/v1/credits/") ||
  path.startsWith("/x402") ||
  path.startsWith("/buy/") ||
  path === "/v1/key/by-session"
