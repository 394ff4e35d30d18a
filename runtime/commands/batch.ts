import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { operate } from "../operator.ts"

const run = Command.make("run", {}, () =>
  operate(
    Effect.gen(function* () {
      const closed = yield* (yield* DailyClose).run
      if (closed.length === 0)
        return yield* Console.log("nothing to close: every day that is due has its batch")
      for (const { day, late, root, tree_size } of closed) {
        yield* Console.log(
          `${day}  ${tree_size} leaves  root ${root}${late ? "  (late: caught up after its time)" : ""}`
        )
      }
    })
  )
).pipe(Command.withDescription("Close every day that is due and not closed"))

/** `plumbline batch`: the daily close by hand. */
export const batch = Command.make("batch").pipe(
  Command.withDescription("The daily batches"),
  Command.withSubcommands([run])
)
