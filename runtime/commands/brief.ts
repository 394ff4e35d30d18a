import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Brief } from "../../core/publications/Brief.ts"
import { requireTrusted } from "../../core/readings/TrustedClock.ts"
import { operate } from "../admin/run.ts"

const run = Command.make("run", {}, () =>
  operate(
    Effect.gen(function* () {
      yield* requireTrusted
      const editions = yield* (yield* Brief).run
      yield* Console.log(
        editions.length === 0
          ? "nothing to write: every closed week already has its edition"
          : `wrote ${editions.join(", ")}`
      )
    })
  )
).pipe(Command.withDescription("Write every edition that is due and missing"))

/** `plumbline brief`: writes the weekly brief by hand. */
export const brief = Command.make("brief").pipe(
  Command.withDescription("Manage the weekly brief"),
  Command.withSubcommands([run])
)
