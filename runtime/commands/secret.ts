import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { program } from "../../core/process/program.ts"
import { makeSecretFile } from "../service/secret.ts"
import { alreadyExists, newFile, placeOf, toSet } from "./secretFile.ts"

const make = Command.make(
  "new",
  { file: newFile },
  Effect.fnUntraced(function* ({ file }) {
    const path = yield* placeOf(file)
    if (!(yield* makeSecretFile(path))) return yield* alreadyExists(path)
    yield* Console.log(
      [
        "created the server secret",
        `  ${path} (mode 600; keep a safe copy)`,
        "next:",
        ...(yield* toSet(path)),
        `  ${program} key new      (once, for the whole service)`,
        `  ${program} serve`
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Create a server secret file; never overwrites one"))

/** `plumbline secret`: the secret behind the keyed hashes of API keys and client networks. */
export const secret = Command.make("secret").pipe(
  Command.withDescription("Manage the server secret"),
  Command.withSubcommands([make])
)
