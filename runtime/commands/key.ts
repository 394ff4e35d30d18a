import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { operate } from "../admin/run.ts"
import { Keyring } from "../service/Keyring.ts"

const rotate = Command.make("rotate", {}, () =>
  operate(
    Effect.gen(function* () {
      const kid = yield* (yield* Keyring).rotate
      yield* Console.log(
        `the key in use is now ${kid}; the old public key stays published with its end date, and what it signed still verifies.\n` +
          "Replicas over one Postgres read the key when they start: give them the file and start them again."
      )
    })
  )
).pipe(Command.withDescription("Make a new signing key; what the old one signed still verifies"))

/** `plumbline key`: the key that signs statements. */
export const key = Command.make("key").pipe(
  Command.withDescription("The signing key"),
  Command.withSubcommands([rotate])
)
