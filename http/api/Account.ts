/** The key of an account, as the endpoints that need one declare it. */
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { KeyUnknown } from "../../core/wire/problems/accounts.ts"

/** Who makes the call: the service behind the endpoints says in `middleware/account.ts` what it knows of them. */
export interface CurrentAccount {
  readonly CurrentAccount: unique symbol
}

/** Answers 401 for a key that is missing, unknown or ended, before anything else of the endpoint is looked at. */
export class AccountKey extends HttpApiMiddleware.Service<AccountKey, { provides: CurrentAccount }>()(
  "http/api/AccountKey",
  {
    security: { apiKey: HttpApiSecurity.apiKey({ in: "header", key: "X-API-Key" }) },
    error: KeyUnknown
  }
) {}
