import { resolve } from "node:path"
import { Console, Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import { program } from "../../core/process/program.ts"
import { isHostName } from "../../core/proof/sessionSense.ts"
import { cannotListen, listening, proxies } from "../cli/listening.ts"
import { UsageError } from "../cli/usage.ts"
import * as Plugins from "../collector/plugins.ts"
import { opensslVersion } from "../notary/certificates/openssl.ts"
import { admitCollector, createFolder } from "../notary/Folder.ts"
import { Notary } from "../notary/Notary.ts"
import { layer } from "../notary/server.ts"

const folder = Argument.String("folder").pipe(
  Argument.withDescription("Folder of the notary: its key, its log, its lists of collectors and hosts")
)

/** The hosts that the collectors of this version read, at the usual port. */
const catalogHosts = Effect.map(Plugins.all(), (plugins) =>
  [...new Set(plugins.flatMap(({ manifest }) => manifest.hosts))].filter(isHostName).sort()
)

const make = Command.make(
  "new",
  {
    folder,
    name: Flag.String("name").pipe(
      Flag.withDescription("Permanent name, a URL without a scheme, e.g. notary.example.org/n1")
    )
  },
  Effect.fnUntraced(function* ({ folder, name }) {
    const path = resolve(folder)
    const hosts = yield* catalogHosts
    const vkey = yield* createFolder(path, name, hosts)
    yield* Console.log(
      [
        `created notary ${vkey}`,
        `  ${path}/key.pem      private key (mode 600)`,
        `  ${path}/entries      its log, with checkpoint and tile/; key and log are only used together`,
        `  ${path}/collectors   whom it carries sessions for`,
        `  ${path}/hosts        the ${hosts.length} hosts that it carries them to`,
        "next:",
        `  ${program} notary admit ${folder} --name <origin of the collector's log>`,
        `  ${program} notary serve ${folder}`,
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

const serve = Command.make(
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
      Layer.effectDiscard(announce(openssl)).pipe(
        Layer.provide(layer(resolve(folder), { ...address, proxies }))
      )
    ).pipe(Effect.catchTag("ServeError", (error) => cannotListen(address, error)))
  })
).pipe(Command.withDescription("Carry and state sessions of the admitted collectors until stopped"))

const announce = (openssl: string) =>
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
        ...(collectors.length === 0 ? [`  no collector is admitted yet: ${program} notary admit`] : []),
        "  stop with Ctrl-C"
      ].join("\n")
    )
  })

const about = "Carry the sessions of other collectors, and state what hosts answered in them"

/** `plumbline notary`: a notary for collectors of other operators. */
export const notary = Command.make("notary").pipe(
  Command.withDescription(
    `${about}

A notary carries the encrypted session between a collector and a host, and is shown the session's secrets once it is over. It
then states, signed with its own key, which answers the holder of the host's certificate gave. It cannot read a request whose
secret the collector keeps. It needs no database and no settings, but the program openssl.

  ${program} notary new ./notary --name notary.example.org/n1
  ${program} notary admit ./notary --name collector.example.org/log
  ${program} notary serve ./notary --port 8091

It must be reachable for its collectors, and its network should be another than theirs. See runtime/notary/README.md.`
  ),
  Command.withShortDescription(about),
  Command.withSubcommands([make, admit, serve])
)
