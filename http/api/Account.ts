/** API key authentication, as endpoints declare it. */
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { KeyUnknown } from "../../core/wire/problems/accounts.ts"

/** The calling account; `middleware/account.ts` gives it its type. */
export interface CurrentAccount {
  readonly CurrentAccount: unique symbol
}

/** Returns 401 for a missing, unknown or revoked key before the endpoint checks anything else. */
export class AccountKey extends HttpApiMiddleware.Service<AccountKey, { provides: CurrentAccount }>()(
  "http/api/AccountKey",
  {
    security: { apiKey: HttpApiSecurity.apiKey({ in: "header", key: "X-API-Key" }) },
    error: KeyUnknown
  }
) {}
