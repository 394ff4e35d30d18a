import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { operate } from "../admin/run.ts"
import { NotPassed } from "../cli/usage.ts"

const confirm = Command.make("confirm", {}, () =>
  operate(
    Effect.gen(function* () {
      const doubt = yield* (yield* TrustedClock).confirm
      const now = new Date().toISOString()
      if (doubt === undefined) return yield* Console.log(`the clock is confirmed: it is ${now}`)
      yield* Console.error(`not confirmed: ${doubt}`)
      return yield* new NotPassed({ code: 1 })
    })
  )
).pipe(
  Command.withDescription(
    "Confirm that this machine's clock is right, after the service was off for more than a day and no upstream tells the time. A clock that Postgres or the upstreams contradict is not confirmed"
  ),
  Command.withShortDescription("Confirm that this machine's clock is right")
)

/** `plumbline clock`: the clock that decides about what cannot be undone. */
export const clock = Command.make("clock").pipe(
  Command.withDescription("Confirm the clock, if the service doubts it"),
  Command.withSubcommands([confirm])
)
