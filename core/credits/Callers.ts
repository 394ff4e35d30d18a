/** Resolves a key to its account, tier and `Access` for the read side. */
import { Context, Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Access, keyless } from "../readings/read/Access.ts"
import type { AccountTier, HowToUnlock } from "../wire/credits/tiers.ts"
import type { KeyUnknown, ScopeMissing, TierTooLow } from "../wire/problems/accounts.ts"
import { type Account, Accounts } from "./Accounts.ts"
import { requireScope } from "./keys/ApiKey.ts"
import { accessOf, tiers, unknownKeyAccess, withoutReadAccess } from "./tiers.ts"
import { type Gated, howToUnlock, tierTooLow } from "./unlock.ts"
import { accepted } from "./waysToPay.ts"

export interface Caller {
  /** Absent without a key or with an unknown one. */
  readonly account?: Account
  /** The account's, or `free` if the key lacks the scope `read`. */
  readonly tier: AccountTier
  readonly access: Access
}

const reads = ({ apiKey }: Account): boolean => apiKey === undefined || apiKey.scopes.includes("read")

/** Names the callers who are shown the same, if others can be: by tier, or why the key does not count. */
export const audienceOf = ({ account, tier }: Caller): string =>
  account === undefined ? "unknown" : reads(account) ? tier : "unread"

export class Callers extends Context.Service<
  Callers,
  {
    /** Never fails: an unknown key counts as no key, and the access says so. */
    readonly identify: (
      key: Redacted.Redacted | undefined,
      options?: { readonly withUse: boolean }
    ) => Effect.Effect<Caller, SqlError>
    /** Fails unless the key of the caller may read and its tier has the capability. */
    readonly gate: (
      caller: Pick<Caller, "account" | "tier">,
      gated: Gated
    ) => Effect.Effect<void, ScopeMissing | TierTooLow>
    /** True if this service sells per request. */
    readonly perRequest: boolean
    /** Which tier unlocks it, and the product with the same content. */
    readonly howToUnlock: (gated: Gated, caller: Pick<Caller, "account">) => typeof HowToUnlock.Type
  }
>()("core/credits/Callers") {
  static readonly layer = Layer.effect(
    Callers,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { card, perRequest } = yield* accepted
      const unlock = (gated: Gated, { account }: Pick<Caller, "account">) =>
        howToUnlock(gated, { card, perRequest, hasAccount: account !== undefined })
      return Callers.of({
        howToUnlock: unlock,
        perRequest,
        gate: (caller, gated) =>
          Effect.andThen(
            requireScope(caller.account ?? {}, "read"),
            tiers[caller.tier].can.includes(gated.capability)
              ? Effect.void
              : Effect.fail(tierTooLow(caller.tier, unlock(gated, caller)))
          ),
        identify: (key, { withUse } = { withUse: false }) =>
          key === undefined
            ? withoutKey
            : identified(withUse ? accounts.authenticateInUse(key) : accounts.authenticate(key))
      })
    })
  )
}

/** Who pays for one page of a list: he sees in it what the Design Partner tier sees. */
export const pageBuyer: Caller = { tier: "design_partner", access: accessOf("design_partner") }

const withoutKey: Effect.Effect<Caller> = Effect.succeed({ tier: "free", access: keyless })

const identified = (account: Effect.Effect<Account, KeyUnknown | SqlError>) =>
  account.pipe(
    Effect.map(
      (account): Caller =>
        reads(account)
          ? { account, tier: account.tier, access: accessOf(account.tier) }
          : { account, tier: "free", access: withoutReadAccess }
    ),
    Effect.catchTag("KeyUnknown", () => Effect.succeed<Caller>({ tier: "free", access: unknownKeyAccess }))
  )
