import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { makeSecretFile } from "../service/secret.ts"
import { newFile, nextOf, placeOf, taken, toSet } from "./newFile.ts"

const make = Command.make(
  "new",
  { file: newFile },
  Effect.fnUntraced(function* ({ file }) {
    const path = yield* placeOf(file, "SERVER_SECRET_FILE", "secret")
    if (!(yield* makeSecretFile(path))) return yield* taken(path, "SERVER_SECRET_FILE", "secret")
    yield* Console.log(
      [
        "created the server secret",
        `  ${path} (mode 600; keep a safe copy)`,
        "next:",
        ...(yield* toSet("SERVER_SECRET_FILE", path)),
        ...(yield* nextOf("SIGNING_KEY_FILE", "  npx plumbline key new signing-key.pem")),
        "  npx plumbline serve"
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Create a server secret file; never overwrites one"))

/** `plumbline secret`: the secret behind the keyed hashes of API keys and client networks. */
export const secret = Command.make("secret").pipe(
  Command.withDescription("Manage the server secret"),
  Command.withSubcommands([make])
)
