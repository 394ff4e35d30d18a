/** Resolves a key to its account, tier and `Access` for the read side. */
import { Context, Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Access, keyless } from "../data/read/Access.ts"
import type { AccountTier, HowToUnlock } from "../wire/credits/tiers.ts"
import type { TierTooLow } from "../wire/problems/accounts.ts"
import { type Account, Accounts } from "./Accounts.ts"
import { accessOf, type Gated, howToUnlock, tiers, tierTooLow, unknownKeyAccess } from "./tiers.ts"
import { X402Settler } from "./x402/Settler.ts"

export interface Caller {
  /** Absent without a key or with an unknown one. */
  readonly account?: Account
  readonly tier: AccountTier
  readonly access: Access
}

export class Callers extends Context.Service<
  Callers,
  {
    /** Never fails: an unknown key counts as no key, and the access says so. */
    readonly identify: (key: Redacted.Redacted | undefined) => Effect.Effect<Caller, SqlError>
    /** Fails unless the tier of the caller has the capability. */
    readonly gate: (caller: Pick<Caller, "tier">, asked: Gated) => Effect.Effect<void, TierTooLow>
    /** Which tier unlocks it, and the product with the same content. */
    readonly howToUnlock: (asked: Gated) => typeof HowToUnlock.Type
  }
>()("core/credits/Callers") {
  static readonly layer = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const perRequest = (yield* X402Settler) !== null
      const unlock = (asked: Gated) => howToUnlock(asked, perRequest)
      return Callers.of({
        howToUnlock: unlock,
        gate: ({ tier }, asked) =>
          tiers[tier].can.includes(asked.capability)
            ? Effect.void
            : Effect.fail(tierTooLow(tier, unlock(asked))),
        identify: Effect.fn("Callers.identify")(function* (key) {
          if (key === undefined) return { tier: "free", access: keyless } as const
          return yield* accounts.authenticate(key).pipe(
            Effect.map((account) => ({ account, tier: account.tier, access: accessOf(account.tier) })),
            Effect.catchTag("KeyUnknown", () =>
              Effect.succeed({ tier: "free", access: unknownKeyAccess } as const)
            )
          )
        })
      })
    })
  )
}
