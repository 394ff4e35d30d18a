/** API key authentication, as endpoints declare it. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Scope } from "../../core/wire/credits/keys.ts"
import { KeyUnknown, ScopeMissing } from "../../core/wire/problems/accounts.ts"

/** The calling account; `middleware/account.ts` gives it its type. */
export interface CurrentAccount {
  readonly CurrentAccount: unique symbol
}

/** The scopes of which the caller's key needs one; an endpoint without the annotation needs `account`. */
export const NeedsScope = Context.Reference<ReadonlyArray<Scope>>("http/api/NeedsScope", {
  defaultValue: () => ["account"]
})

/** Returns 401 for a missing, unknown or revoked key, and 403 for one without the scope, before the endpoint checks anything else. */
export class AccountKey extends HttpApiMiddleware.Service<AccountKey, { provides: CurrentAccount }>()(
  "http/api/AccountKey",
  {
    security: { apiKey: HttpApiSecurity.apiKey({ in: "header", key: "X-API-Key" }) },
    error: [KeyUnknown, ScopeMissing]
  }
) {}
