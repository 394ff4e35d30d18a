import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Brief } from "../../core/publications/Brief.ts"
import { operate } from "../admin/run.ts"

const run = Command.make("run", {}, () =>
  operate(
    Effect.gen(function* () {
      const made = yield* (yield* Brief).run
      yield* Console.log(
        made.length === 0
          ? "nothing to write: every Monday whose week is closed has its edition"
          : `wrote ${made.join(", ")}`
      )
    })
  )
).pipe(Command.withDescription("Write every edition that is due and not there"))

/** `plumbline brief`: the weekly brief by hand. */
export const brief = Command.make("brief").pipe(
  Command.withDescription("The weekly brief"),
  Command.withSubcommands([run])
)
