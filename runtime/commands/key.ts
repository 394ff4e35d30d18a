import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { operate } from "../admin/run.ts"
import { Keyring, makeNew } from "../service/Keyring.ts"
import { newFile, nextOf, placeOf, taken, toSet } from "./newFile.ts"

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

const make = Command.make(
  "new",
  { file: newFile },
  Effect.fnUntraced(function* ({ file }) {
    const path = yield* placeOf(file, "SIGNING_KEY_FILE", "key")
    const kid = yield* makeNew(path)
    if (kid === undefined) return yield* taken(path, "SIGNING_KEY_FILE", "key")
    yield* Console.log(
      [
        `made the signing key ${kid}`,
        `  ${path} (mode 600; keep a copy of it in a safe place)`,
        "next:",
        ...(yield* toSet("SIGNING_KEY_FILE", path)),
        ...(yield* nextOf("SERVER_SECRET_FILE", "  npx plumbline secret new server-secret"))
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Make the file of a signing key; a file that is there is never overwritten"))

/** `plumbline key`: the key that signs statements. */
export const key = Command.make("key").pipe(
  Command.withDescription("The signing key"),
  Command.withSubcommands([make, rotate])
)
