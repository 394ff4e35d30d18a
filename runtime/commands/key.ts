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
        `now signing with ${kid}; the old public key stays published with its end date, so old signatures still verify.\n` +
          "Replicas read the key at start: give each of them the new file and restart it."
      )
    })
  )
).pipe(Command.withDescription("Replace the signing key; what the old one signed still verifies"))

const make = Command.make(
  "new",
  { file: newFile },
  Effect.fnUntraced(function* ({ file }) {
    const path = yield* placeOf(file, "SIGNING_KEY_FILE", "key")
    const kid = yield* makeNew(path)
    if (kid === undefined) return yield* taken(path, "SIGNING_KEY_FILE", "key")
    yield* Console.log(
      [
        `created signing key ${kid}`,
        `  ${path} (mode 600; keep a safe copy)`,
        "next:",
        ...(yield* toSet("SIGNING_KEY_FILE", path)),
        ...(yield* nextOf("SERVER_SECRET_FILE", "  npx plumbline secret new server-secret"))
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Create a signing key file; never overwrites one"))

/** `plumbline key`: the key that signs statements. */
export const key = Command.make("key").pipe(
  Command.withDescription("Manage the signing key"),
  Command.withSubcommands([make, rotate])
)
