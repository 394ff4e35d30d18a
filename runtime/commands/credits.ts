import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { format, parse } from "../../core/credits/Money.ts"
import { operate } from "../admin/run.ts"
import { UsageError } from "../cli/usage.ts"

export const noAccount = (id: string) =>
  new UsageError({
    message: `unknown account ${id}; GET /v1/credits/balance shows the account of an API key`
  })

const grant = Command.make(
  "grant",
  {
    account: Argument.String("account").pipe(Argument.withDescription("Account id (acc_...)")),
    amount: Argument.String("amount").pipe(
      Argument.withDescription("Amount in USD, at most 6 decimal places")
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why; stored in the ledger")),
    key: Flag.String("key").pipe(
      Flag.withDescription(
        "Idempotency key: the grant happens once per key, however often you run the command"
      ),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ account, amount, key, reason }) {
    const micros = parse(amount)
    if (micros === undefined || micros === 0n) {
      return yield* new UsageError({
        message: `"${amount}" is not an amount in USD (expected e.g. 20 or 4.99)`
      })
    }
    yield* operate(
      Effect.gen(function* () {
        if ((yield* (yield* Accounts).find(account)) === undefined) return yield* noAccount(account)
        const named = Option.isSome(key) ? key.value : yield* (yield* SecureRandom).uuidV4()
        const { balance, owed, posted } = yield* (yield* Ledger).credit(account, micros, "operator", {
          cause: "operator_grant",
          reference: account,
          key: `operator_grant:${named}`,
          note: reason
        })
        yield* Console.log(
          `${posted ? "granted" : "already granted under this key; nothing changed"}: ${account} has ` +
            `${format(balance)} credits${owed > 0n ? ` and owes ${format(owed)}` : ""}`
        )
      })
    )
  })
).pipe(Command.withDescription("Grant credits to an account; the grant is a ledger entry like any other"))

export const credits = Command.make("credits").pipe(
  Command.withDescription("Manage the credits of accounts"),
  Command.withSubcommands([grant])
)
