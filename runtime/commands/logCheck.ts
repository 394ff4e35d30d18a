import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { type Checked, checkLog } from "../../core/log/check/checkLog.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed } from "../cli/usage.ts"

/** Prints what was found; fails with exit code 1 if that is anything. */
export const tell = Effect.fnUntraced(function* (checked: Checked, json: boolean) {
  const { batches, documents, findings, size } = checked
  if (json) yield* Console.log(JSON.stringify(checked))
  else {
    for (const { expected, found: actual, what, where } of findings)
      yield* Console.log(`FOUND       ${what}: ${where}\n  expected  ${expected}\n  found     ${actual}`)
    yield* Console.log(
      `${findings.length === 0 ? "nothing found" : `${findings.length} found`}: log of ${size} entries; checked ${batches} batches, ${documents} other entries and every latest row`
    )
  }
  if (findings.length > 0) return yield* new NotPassed({ code: 1 })
})

/** `plumbline log check`. */
export const check = Command.make(
  "check",
  {
    full: Flag.Boolean("full").pipe(
      Flag.withDescription(
        "Check everything, not only what is new since the last check and a sample of the rest"
      ),
      Flag.withDefault(false)
    ),
    json: asJson
  },
  ({ full, json }) =>
    operate(
      checkLog(full).pipe(
        Effect.flatMap((checked) => tell(checked, json)),
        Effect.catchTag("SqlError", ({ message }) =>
          Effect.andThen(Console.error(`could not look: ${message}`), new NotPassed({ code: 2 }))
        )
      )
    )
).pipe(
  Command.withDescription(
    "Compare what the database serves with the log: entries, documents, leaves, daily rows, readings and latest rows. Exits with 0 if nothing was found, 1 if something was, 2 if it could not be read"
  ),
  Command.withShortDescription("Compare what the database serves with the log")
)
