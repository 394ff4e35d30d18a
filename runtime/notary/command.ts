/** The command of a notary, in the service's command line and by itself. */
import { resolve } from "node:path"
import { Console, Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import { isHostName } from "../../core/proof/sessionSense.ts"
import { cannotListen, listening, proxies } from "../cli/listening.ts"
import { UsageError } from "../cli/usage.ts"
import { opensslVersion } from "./certificates/openssl.ts"
import { admitCollector, createFolder } from "./Folder.ts"
import { Notary } from "./Notary.ts"
import { layer } from "./server.ts"

const folder = Argument.String("folder").pipe(
  Argument.withDescription("Folder of the notary: its key, its log, its lists of collectors and hosts")
)

/** How it is run, for texts that tell what to run, and the hosts that a new one carries sessions to. */
interface Setting<E> {
  readonly called: string
  readonly hosts: Effect.Effect<ReadonlyArray<string>, E>
}

const makeOf = <E>({ called, hosts }: Setting<E>) =>
  Command.make(
    "new",
    {
      folder,
      name: Flag.String("name").pipe(
        Flag.withDescription("Permanent name, a URL without a scheme, e.g. notary.example.org/n1")
      )
    },
    Effect.fnUntraced(function* ({ folder, name }) {
      const path = resolve(folder)
      const names = [...new Set(yield* hosts)].filter(isHostName).toSorted()
      const vkey = yield* createFolder(path, name, names)
      yield* Console.log(
        [
          `created notary ${vkey}`,
          `  ${path}/key.pem      private key (mode 600)`,
          `  ${path}/entries      its log, with checkpoint and tile/; key and log are only used together`,
          `  ${path}/collectors   whom it carries sessions for`,
          `  ${path}/hosts        the ${names.length} hosts that it carries them to`,
          "next:",
          `  ${called} admit ${folder} --name <origin of the collector's log>`,
          `  ${called} serve ${folder}`,
          "  give the operators of these collectors the verifier key above and the address of the notary"
        ].join("\n")
      )
    })
  ).pipe(Command.withDescription("Create a notary in a folder; never overwrites one"))

const admit = Command.make(
  "admit",
  {
    folder,
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the collector in statements, e.g. the origin of its log")
    )
  },
  Effect.fnUntraced(function* ({ folder, name }) {
    const token = yield* admitCollector(resolve(folder), name)
    yield* Console.log(
      [
        `admitted ${name}; give its operator this token, which is shown once:`,
        `  ${token}`,
        "It goes into the notary's address in their NOTARIES: https://<token>@<host>. Restart the notary."
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Let a collector use the notary, and print its token"))

const serveOf = (called: string) =>
  Command.make(
    "serve",
    {
      folder,
      ...listening(8091),
      ...proxies
    },
    Effect.fnUntraced(function* ({ folder, proxies, ...address }) {
      const openssl = yield* Effect.mapError(
        opensslVersion,
        () =>
          new UsageError({
            message: "a notary needs the program openssl for a second opinion on certificates; install it"
          })
      )
      return yield* Layer.launch(
        Layer.effectDiscard(announce(openssl, called)).pipe(
          Layer.provide(layer(resolve(folder), { ...address, proxies }))
        )
      ).pipe(Effect.catchTag("ServeError", (error) => cannotListen(address, error)))
    })
  ).pipe(Command.withDescription("Carry and state sessions of the admitted collectors until stopped"))

const announce = (openssl: string, called: string) =>
  Effect.gen(function* () {
    const { collectors, head, hosts, vkey } = yield* Notary
    const { address } = yield* HttpServer.HttpServer
    yield* Console.log(
      [
        `plumbline is a notary for ${collectors.length === 1 ? "one collector" : `${collectors.length} collectors`} at ${HttpServer.formatAddress(address)}`,
        `  verifier key: ${vkey}`,
        `  log: ${head().size} entries`,
        `  hosts: ${hosts}`,
        `  certificates: Node's roots, and ${openssl}`,
        ...collectors.map((name) => `  carries for: ${name}`),
        ...(collectors.length === 0 ? [`  no collector is admitted yet: ${called} admit`] : []),
        "  stop with Ctrl-C"
      ].join("\n")
    )
  })

const about = "Carry the sessions of other collectors, and state what hosts answered in them"

/** A notary for collectors of other operators, as a command of this name. */
export const notaryOf = <E>(name: string, setting: Setting<E>) => {
  const { called } = setting
  return Command.make(name).pipe(
    Command.withDescription(
      `${about}

A notary carries the encrypted session between a collector and a host, and is shown the session's secrets once it is over. It
then states, signed with its own key, which answers the holder of the host's certificate gave. It cannot read a request whose
secret the collector keeps. It needs no database and no settings, but the program openssl.

  ${called} new ./notary --name notary.example.org/n1
  ${called} admit ./notary --name collector.example.org/log
  ${called} serve ./notary --port 8091

It must be reachable for its collectors, and its network should be another than theirs. See runtime/notary/README.md.`
    ),
    Command.withShortDescription(about),
    Command.withSubcommands([makeOf(setting), admit, serveOf(called)])
  )
}
