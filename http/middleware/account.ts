/** Holds the endpoints that need a key to `api/Account.ts`. */
import { Effect, Layer } from "effect"
import { Accounts } from "../../core/credits/Accounts.ts"
import { AccountKey, CurrentAccount } from "../api/Account.ts"
import { KeyUnknown } from "../api/creditProblems.ts"
import { says } from "../api/problems.ts"

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
