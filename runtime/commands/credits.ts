import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { format, parse } from "../../core/credits/Money.ts"
import { operate } from "../admin/run.ts"
import { UsageError } from "../cli/usage.ts"

export const noAccount = (id: string) =>
  new UsageError({ message: `no account ${id}; GET /v1/credits/balance shows a key its account` })

const grant = Command.make(
  "grant",
  {
    account: Argument.String("account").pipe(Argument.withDescription("Id of the account (acc_...)")),
    amount: Argument.String("amount").pipe(Argument.withDescription("USD, at most 6 decimal places")),
    reason: Flag.String("reason").pipe(Flag.withDescription("Kept in the ledger")),
    key: Flag.String("key").pipe(
      Flag.withDescription("The grant happens once per key, however often the command is run"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ account, amount, key, reason }) {
    const micros = parse(amount)
    if (micros === undefined || micros === 0n) {
      return yield* new UsageError({ message: `${amount} is no amount in USD, such as 20 or 4.99` })
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
          `${posted ? "granted" : "was granted before under this key; nothing moved"}: ${account} holds ` +
            `${format(balance)} credits${owed > 0n ? ` and owes ${format(owed)}` : ""}`
        )
      })
    )
  })
).pipe(Command.withDescription("Give an account credits, in the ledger like all else"))

export const credits = Command.make("credits").pipe(
  Command.withDescription("Credits of accounts"),
  Command.withSubcommands([grant])
)
