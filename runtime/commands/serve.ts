import { flushCompileCache } from "node:module"
import { Console, Context, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { Http } from "../../http/server.ts"
import packageJson from "../../package.json" with { type: "json" }
import { NotPassed } from "../cli/usage.ts"
import { Duties } from "../cluster/Duties.ts"
import { Lifecycle } from "../cluster/Lifecycle.ts"
import * as Pins from "../demo/pins.ts"
import { logging } from "../logging/logging.ts"
import * as Service from "../service/layers.ts"
import { Readiness } from "../service/Readiness.ts"
import { reloading } from "../service/reload.ts"
import { telemetry } from "../service/telemetry.ts"
import type { WitnessPolicy } from "../service/witnessing.ts"
import { usualDataDir } from "../settings/dataDir.ts"
import { Settings } from "../settings/Settings.ts"
import { settingsHelp } from "../settings/settingsHelp.ts"
import { serveAdmin } from "./serveRemote.ts"

const about = "Collect from upstreams and serve the API"

/** `plumbline serve`: collects and serves until it is stopped. */
export const serve = Command.make(
  "serve",
  {
    replay: Flag.Boolean("replay").pipe(
      Flag.withDescription(
        "Run the demo: serve recorded payloads without a network. DATA_DIR defaults to ./.demo"
      ),
      Flag.withDefault(false)
    )
  },
  ({ replay }) =>
    replay
      ? Effect.andThen(
          Console.log("plumbline: replaying the recordings; the first readings take a few seconds"),
          launch(guide, Service.replay)
        ).pipe(Effect.provide(Settings.layerIn(usualDataDir.replay)))
      : launch(announce, Service.live).pipe(Effect.provide(Settings.layer))
).pipe(Command.withDescription(`${about}\n\n${settingsHelp}`), Command.withShortDescription(about))

interface Failure {
  readonly message: string
}

const launch = <A, E extends Failure, E2 extends Failure, R, R2>(
  say: Effect.Effect<void, E, R>,
  service: Layer.Layer<A | Duties | Lifecycle | WitnessPolicy, E2, R2>
) =>
  Layer.mergeAll(Layer.effectDiscard(say), Layer.effectDiscard(reloading), serveAdmin).pipe(
    Layer.provideMerge(service),
    Layer.provide(telemetry),
    Layer.build,
    // Node writes it when a process ends by itself: one that is killed would leave the next start nothing.
    Effect.tap(() => Effect.sync(flushCompileCache)),
    Effect.flatMap((context) =>
      Effect.onInterrupt(Context.get(context, Duties).refused, () => Context.get(context, Lifecycle).stop)
    ),
    Effect.scoped,
    lastWord,
    // Also what is said after the layers, and while they end.
    Effect.provide(logging)
  )

/** Why the service does not start, or ends: a line of the log where programs read it; otherwise `inOneLine` says it. */
const lastWord = <A, E extends Failure, R>(service: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Settings,
    ({ logFormat }): Effect.Effect<A, E | NotPassed, R> =>
      logFormat === "text"
        ? service
        : Effect.catch(service, ({ message }) =>
            Effect.andThen(Effect.logFatal(message), Effect.fail(new NotPassed({ code: 1 })))
          )
  )

const announce = Effect.gen(function* () {
  const settings = yield* Settings
  const { host, port } = yield* Http
  yield* Effect.logInfo(`serving ${settings.base}`, {
    listening: `${host}:${port}`,
    version: packageJson.version
  })
  if (process.stdout.isTTY && settings.logFormat === "text") {
    yield* Console.log(`  explorer: ${settings.base}/\n  try: curl ${settings.base}/try\n  stop with Ctrl-C`)
  }
})

const guide = Effect.gen(function* () {
  const { base } = yield* Settings
  const { past } = yield* Readiness
  yield* Console.log(
    `plumbline is serving the demo at ${base}: recorded and simulated payloads, nothing live\n  explorer: ${base}/\n  its days are being closed; ${base}/try already answers`
  )
  yield* Pins.print
  const requests = [
    "",
    "  Five requests to try:",
    `  curl -s ${base}/try`,
    `  curl -s ${base}/v1/network/FIL`,
    `  curl -s '${base}/v1/supply?network=STORJ'`,
    `  curl -s '${base}/v1/history?network=FIL&metric=active_storage_providers&days=30'`,
    `  curl -s '${base}/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260903'`,
    "",
    `  Full API: ${base}/docs     Stop with Ctrl-C.`,
    ""
  ].join("\n")
  yield* Effect.forkScoped(Effect.andThen(past, Console.log(requests)))
})
