import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Accounts } from "../../core/credits/Accounts.ts"
import { tierNames, tiers } from "../../core/credits/tiers.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"
import { operate } from "../admin/run.ts"
import { UsageError } from "../cli/usage.ts"
import { noAccount } from "./credits.ts"

const set = Command.make(
  "set",
  {
    account: Argument.String("account").pipe(Argument.withDescription("Account id (acc_...)")),
    tier: Argument.String("tier").pipe(Argument.withDescription(tierNames.join(", ")))
  },
  Effect.fnUntraced(function* ({ account, tier }) {
    const accountTier: AccountTier | undefined = tierNames.find((name) => name === tier)
    if (accountTier === undefined) {
      return yield* new UsageError({
        message: `unknown tier "${tier}" (expected one of ${tierNames.join(", ")})`
      })
    }
    yield* operate(
      Effect.gen(function* () {
        if (!(yield* (yield* Accounts).setTier(account, accountTier))) return yield* noAccount(account)
        yield* Console.log(
          `${account} now has the tier ${tiers[accountTier].title}, unless it subscribes to a higher one`
        )
      })
    )
  })
).pipe(Command.withDescription("Set the tier of an account"))

export const tier = Command.make("tier").pipe(
  Command.withDescription("Manage the tiers of accounts"),
  Command.withSubcommands([set])
)
