/** Resolves a key to its account, tier and `Access` for the read side. */
import { Context, Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Access, keyless } from "../data/read/Access.ts"
import type { AccountTier, HowToUnlock } from "../wire/credits/tiers.ts"
import type { ScopeMissing, TierTooLow } from "../wire/problems/accounts.ts"
import { type Account, Accounts } from "./Accounts.ts"
import { requireScope } from "./keys/HeldKey.ts"
import { accessOf, tiers, unknownKeyAccess, withoutReadAccess } from "./tiers.ts"
import { type Gated, howToUnlock, tierTooLow } from "./unlock.ts"
import { X402Settler } from "./x402/Settler.ts"

export interface Caller {
  /** Absent without a key or with an unknown one. */
  readonly account?: Account
  /** The account's, or `free` if the key lacks the scope `read`. */
  readonly tier: AccountTier
  readonly access: Access
}

const reads = ({ heldKey }: Account): boolean => heldKey === undefined || heldKey.scopes.includes("read")

/** Names the callers who are shown the same, if others can be: by tier, or why the key does not count. */
export const audienceOf = ({ account, tier }: Caller): string =>
  account === undefined ? "unknown" : reads(account) ? tier : "unread"

export class Callers extends Context.Service<
  Callers,
  {
    /** Never fails: an unknown key counts as no key, and the access says so. */
    readonly identify: (key: Redacted.Redacted | undefined) => Effect.Effect<Caller, SqlError>
    /** Fails unless the key of the caller may read and its tier has the capability. */
    readonly gate: (
      caller: Pick<Caller, "account" | "tier">,
      asked: Gated
    ) => Effect.Effect<void, ScopeMissing | TierTooLow>
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
        gate: ({ account, tier }, asked) =>
          Effect.andThen(
            requireScope(account ?? {}, "read"),
            tiers[tier].can.includes(asked.capability)
              ? Effect.void
              : Effect.fail(tierTooLow(tier, unlock(asked)))
          ),
        identify: Effect.fn("Callers.identify")(function* (key) {
          if (key === undefined) return { tier: "free", access: keyless } as const
          return yield* accounts.authenticate(key).pipe(
            Effect.map(
              (account): Caller =>
                reads(account)
                  ? { account, tier: account.tier, access: accessOf(account.tier) }
                  : { account, tier: "free", access: withoutReadAccess }
            ),
            Effect.catchTag("KeyUnknown", () =>
              Effect.succeed({ tier: "free", access: unknownKeyAccess } as const)
            )
          )
        })
      })
    })
  )
}
