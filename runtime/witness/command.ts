/** The command of a witness, in the service's command line and by itself. */
import { resolve } from "node:path"
import { Console, Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import { cannotListen, listening, proxies } from "../cli/listening.ts"
import { create } from "./Store.ts"
import { layer } from "./server.ts"
import { Witness } from "./Witness.ts"

const folder = Argument.String("folder").pipe(
  Argument.withDescription("Folder of the witness: its key, its state and its list of logs")
)

/** `called`: how it is run, for texts that tell what to run. */
const makeOf = (called: string) =>
  Command.make(
    "new",
    {
      folder,
      name: Flag.String("name").pipe(
        Flag.withDescription("Permanent name, a URL without a scheme, e.g. witness.example.org/w1")
      )
    },
    Effect.fnUntraced(function* ({ folder, name }) {
      const path = resolve(folder)
      const vkey = yield* create(path, name)
      yield* Console.log(
        [
          `created witness ${vkey}`,
          `  ${path}/key.pem      private key (mode 600)`,
          `  ${path}/state.json   the newest checkpoint of each log; key and state are only used together`,
          `  ${path}/logs         list of logs to cosign`,
          "next:",
          `  add a line to ${path}/logs for each log: log <verifier key>`,
          `  ${called} serve ${folder}`,
          "  give the operators of these logs the verifier key above and the address of the witness"
        ].join("\n")
      )
    })
  ).pipe(Command.withDescription("Create a witness in a folder; never overwrites one"))

const serve = Command.make(
  "serve",
  {
    folder,
    ...listening(8090),
    ...proxies
  },
  ({ folder, proxies, ...address }) =>
    Layer.launch(
      Layer.effectDiscard(announce).pipe(Layer.provide(layer(resolve(folder), { ...address, proxies })))
    ).pipe(Effect.catchTag("ServeError", (error) => cannotListen(address, error)))
).pipe(Command.withDescription("Cosign the checkpoints of the listed logs until stopped"))

const announce = Effect.gen(function* () {
  const { origins, vkey } = yield* Witness
  const { address } = yield* HttpServer.HttpServer
  yield* Console.log(
    [
      `plumbline is witnessing ${origins.length === 1 ? "one log" : `${origins.length} logs`} at ${HttpServer.formatAddress(address)}`,
      `  verifier key: ${vkey}`,
      ...origins.map((origin) => `  cosigns: ${origin}`),
      ...(origins.length === 0 ? ["  no log is listed yet: add one to the file `logs` and restart"] : []),
      "  stop with Ctrl-C"
    ].join("\n")
  )
})

const about = "Cosign the checkpoints of other logs"

/** A witness of any log (C2SP tlog-witness), as a command of this name that is run as `called`. */
export const witnessOf = (name: string, called: string) =>
  Command.make(name).pipe(
    Command.withDescription(
      `${about}

A witness verifies that each checkpoint of a log extends the one before, and says so with its own key: a log that
shows different histories to different people gets no cosignature for one of them. It needs no database and no settings.

  ${called} new ./witness --name witness.example.org/w1
  echo 'log <verifier key of the log>' >> ./witness/logs
  ${called} serve ./witness --port 8090

Put it behind a proxy with TLS. Never restore its state from a backup: an old state lets a log rewrite what came after.`
    ),
    Command.withShortDescription(about),
    Command.withSubcommands([makeOf(called), serve])
  )
