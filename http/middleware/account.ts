/** Holds the endpoints that need a key to `api/Account.ts`. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { type Account, Accounts } from "../../core/credits/Accounts.ts"
import { AccountKey, type CurrentAccount as Provided } from "../api/Account.ts"
import { KeyUnknown } from "../api/creditProblems.ts"
import { says } from "../api/problems.ts"

/** Who makes the call. */
export const CurrentAccount = Context.Service<
  Provided,
  { readonly account: Account; readonly key: Redacted.Redacted }
>("http/CurrentAccount")

export const layer = Layer.effect(
  AccountKey,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    return AccountKey.of({
      apiKey: Effect.fn(function* (handle, { credential }) {
        const account = yield* accounts.authenticate(credential).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.mapError(({ message }) => new KeyUnknown(says(message)))
        )
        return yield* Effect.provideService(handle, CurrentAccount, { account, key: credential })
      })
    })
  })
)
