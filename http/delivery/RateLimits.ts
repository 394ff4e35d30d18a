/** Applies the limits before anything is read, including to cached responses. */
import { Cache, Context, Effect, Exit, Layer, Redacted } from "effect"
import { LRUCache } from "lru-cache"
import { Callers, type Caller as Identity } from "../../core/credits/Callers.ts"
import { isKeyOf, KeyMode } from "../../core/credits/keys/KeyMode.ts"
import * as Core from "../../core/credits/Limits.ts"
import { isForPeople, isOfAccounts, isOfSales } from "../admission/paths.ts"
import { orProblem } from "../problems/fromCore.ts"

export interface Caller {
  /** Originating network, as `networkOf` gives it. */
  readonly network: string
  /** Path of the request without its query. */
  readonly path: string
  /** True if the request carries a payment that decodes, at an address that sells. */
  readonly pays: boolean
}

export interface Verdict extends Core.Verdict {
  /** Who called, if that was looked up for this very call: it need not be looked up again. */
  readonly identity?: Identity
  /** The account of the key, as it was identified within `callerTtl`; absent of a key that does not exist. */
  readonly account?: string
}

const allowed: Verdict = { allowed: true, headers: [] }

/** Decides whether a call is allowed. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Counts one call without a key. Synchronous, because a ready answer starts no fiber. */
    readonly keyless: (caller: Caller) => Verdict
    /** Counts one call with a key, known or not. */
    readonly keyed: (key: Redacted.Redacted, caller: Caller) => Effect.Effect<Verdict>
    /** True if a key was identified when it was last looked up; false of one that was not looked up lately. */
    readonly knows: (key: string) => boolean
  }
>()("http/delivery/RateLimits") {
  /** The limits of `core/credits`. An unknown key counts against its network, so guessing keys does not bypass them. */
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const limits = yield* Core.Limits
      const callers = yield* Callers
      const mode = yield* KeyMode
      /** By the object that held the key of one call: a call that waits for another's look-up may be younger than it. */
      const lookedUp = new WeakMap<Redacted.Redacted, Identity>()
      /**
       * The accounts of recently sent keys, including unknown ones: concurrent calls with the same key share one query. It is
       * uninterruptible, because other calls may wait for it when the first client disconnects.
       */
      const callerCache = yield* Cache.makeWith(
        (key: Redacted.Redacted) =>
          Effect.uninterruptible(orProblem(callers.identify(key))).pipe(
            Effect.tap((caller) => Effect.sync(() => lookedUp.set(key, caller)))
          ),
        { capacity: 10_000, timeToLive: (exit) => (Exit.isSuccess(exit) ? callerTtl : 0) }
      )

      const identifiedKeys = new LRUCache<string, true>({ max: 10_000 })

      /** The same with what the account has used, which nobody can share: the answer says how things stand. */
      const withUse = (key: Redacted.Redacted) =>
        Effect.uninterruptible(orProblem(callers.identify(key, { withUse: true }))).pipe(
          Effect.tap((caller) => {
            lookedUp.set(key, caller)
            return Cache.set(callerCache, key, caller)
          })
        )

      /** Paths whose limit does not depend on the key. */
      const ofPath = ({ network, path, pays }: Caller): Verdict | undefined => {
        if (unlimited.has(path)) return allowed
        if (path === encoderPath) return limits.encoder(network)
        if (path.startsWith(logPath)) return limits.log(network)
        if (isForPeople(path) && !isOfAccounts(path)) return limits.pages(network)
        return pays && isOfSales(path) ? limits.payment(network) : undefined
      }

      const keyless = ({ network, path }: Caller): Verdict =>
        isOfAccounts(path) ? limits.account(network) : limits.keyless(network)

      return RateLimits.of({
        keyless: (caller) => ofPath(caller) ?? keyless(caller),
        keyed: Effect.fnUntraced(function* (key, caller) {
          const verdict = ofPath(caller)
          if (verdict !== undefined) return verdict
          if (!isKeyOf(mode, key)) return keyless(caller)
          const { network, path } = caller
          const isCached = yield* Cache.has(callerCache, key)
          if (!isCached) {
            const lookUp = limits.lookUp(network)
            if (!lookUp.allowed) return lookUp
          }
          const looked = path === balancePath ? withUse(key) : Cache.get(callerCache, key)
          const { account, tier } = yield* Effect.onError(looked, () =>
            // If the database is unavailable, the key may still be valid.
            isCached ? Effect.void : Effect.sync(() => limits.undoLookUp(network))
          )
          const fresh = lookedUp.get(key)
          const identity = fresh === undefined ? {} : { identity: fresh }
          if (account === undefined) {
            identifiedKeys.delete(Redacted.value(key))
            return { ...keyless(caller), ...identity }
          }
          identifiedKeys.set(Redacted.value(key), true)
          if (!isCached) limits.undoLookUp(network)
          const decided = isOfAccounts(path)
            ? limits.account(network, { id: account.id, tier })
            : limits.keyed(account.id, tier, network)
          return { ...decided, ...identity, account: account.id }
        }),
        knows: (key) => identifiedKeys.has(key)
      })
    })
  )
}

/** How long the tier of a key is cached; a new tier takes effect after this time. */
export const callerTtl = "5 seconds"

/** Probes and `/v1/world` are unlimited, and Stripe's webhooks must never be rejected. */
const unlimited: ReadonlySet<string> = new Set(["/v1/world", "/health", "/readyz", "/webhooks/stripe"])

/** The encoder API has separate keys and quotas. */
const encoderPath = "/v1/manifold/distance"

/** Tells what its caller has used: the statement that finds the caller reads that, too. */
const balancePath = "/v1/credits/balance"

/** The files of the log: anyone can follow it without spending the quota of reads. */
const logPath = "/v1/log/"
