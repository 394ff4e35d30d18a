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
        "made the server's secret",
        `  ${path} (mode 600; keep a copy of it in a safe place)`,
        "next:",
        ...(yield* toSet("SERVER_SECRET_FILE", path)),
        ...(yield* nextOf("SIGNING_KEY_FILE", "  npx plumbline key new signing-key.pem")),
        "  npx plumbline serve"
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Make the file of the server's secret; a file that is there is never overwritten")
)

/** `plumbline secret`: what keyed hashes of API keys and networks are made with. */
export const secret = Command.make("secret").pipe(
  Command.withDescription("The server's secret"),
  Command.withSubcommands([make])
)
