/** The key of an account, as the endpoints that need one declare it. */
import { Context, type Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Account } from "../../core/credits/Accounts.ts"
import { KeyUnknown } from "./creditProblems.ts"

export interface Authenticated {
  readonly account: Account
  readonly key: Redacted.Redacted
}

/** Who makes the call. */
export class CurrentAccount extends Context.Service<CurrentAccount, Authenticated>()(
  "http/api/CurrentAccount"
) {}

/** Answers 401 for a key that is missing, unknown or ended, before anything else of the endpoint is looked at. */
export class AccountKey extends HttpApiMiddleware.Service<AccountKey, { provides: CurrentAccount }>()(
  "http/api/AccountKey",
  {
    security: { apiKey: HttpApiSecurity.apiKey({ in: "header", key: "X-API-Key" }) },
    error: KeyUnknown
  }
) {}
