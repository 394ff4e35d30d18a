import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { requireTrusted } from "../../core/readings/TrustedClock.ts"
import { operate } from "../admin/run.ts"

const run = Command.make("run", {}, () =>
  operate(
    Effect.gen(function* () {
      yield* requireTrusted
      const close = yield* DailyClose
      const closed = yield* close.run
      const [first, ...others] = yield* close.due
      if (closed.length === 0 && first === undefined) {
        return yield* Console.log("nothing to close: every due day already has its batch")
      }
      for (const { day, late, root, tree_size } of closed) {
        yield* Console.log(
          `${day}  ${tree_size} leaves  root ${root}${late ? "  (late: closed after its time)" : ""}`
        )
      }
      if (first !== undefined) {
        yield* Console.log(
          `${first}  another process is closing this day, or stopped while doing so; the claim expires within 10 minutes` +
            (others.length === 0 ? "" : `; ${others.length} more days are waiting`)
        )
      }
    })
  )
).pipe(Command.withDescription("Close every day that is due and still open"))

/** `plumbline batch`: runs the daily close by hand. */
export const batch = Command.make("batch").pipe(
  Command.withDescription("Manage the daily batches"),
  Command.withSubcommands([run])
)
