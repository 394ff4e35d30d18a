import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Ledger } from "../../core/credits/Ledger.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed } from "../cli/usage.ts"

const check = Command.make(
  "check",
  {
    json: asJson
  },
  ({ json }) =>
    operate(
      Effect.gen(function* () {
        const report = yield* (yield* Ledger).check
        if (json) yield* Console.log(JSON.stringify(report))
        else {
          for (const problem of report.problems) yield* Console.log(problem)
          yield* Console.log(
            `${report.ok ? "passed" : "not passed"}: ${report.postings} postings, ${report.entries} entries, ` +
              `${report.accounts} accounts, sum ${report.sum_usd}`
          )
        }
        if (!report.ok) return yield* new NotPassed({})
      })
    )
).pipe(
  Command.withDescription(
    "Check that the ledger sums to zero and that every balance is the sum of its entries"
  )
)

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("Check the ledger"),
  Command.withSubcommands([check])
)
