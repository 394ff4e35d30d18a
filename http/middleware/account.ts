/** Authenticates the endpoints that require an API key (`api/Account.ts`). */
import { Context, Effect, Layer, type Redacted } from "effect"
import { type Account, Accounts } from "../../core/credits/Accounts.ts"
import { requireScope } from "../../core/credits/keys/ApiKey.ts"
import { AccountKey, NeedsScope, type CurrentAccount as Provided } from "../api/Account.ts"
import { RequestState } from "../delivery/RequestState.ts"
import { orProblem } from "../problems/fromCore.ts"

/** The caller's account and key. */
export const CurrentAccount = Context.Service<
  Provided,
  { readonly account: Account; readonly key: Redacted.Redacted }
>("http/CurrentAccount")

export const layer = Layer.effect(
  AccountKey,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    return AccountKey.of({
      apiKey: Effect.fn(function* (handle, { credential, endpoint }) {
        const identity = (yield* RequestState).caller
        const account = identity?.account ?? (yield* orProblem(accounts.authenticate(credential)))
        yield* requireScope(account, ...Context.get(endpoint.annotations, NeedsScope))
        return yield* Effect.provideService(handle, CurrentAccount, { account, key: credential })
      })
    })
  })
)
