import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { Http } from "../../http/server.ts"
import { answering } from "../operator.ts"
import * as Service from "../service.ts"
import { Settings } from "../settings.ts"

/** `plumbline serve`: collects and serves until it is told to stop. */
export const serve = Command.make(
  "serve",
  {
    replay: Flag.Boolean("replay").pipe(
      Flag.withDescription("Serve what the recordings give, with no network: the demo"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* () {
    yield* Layer.launch(
      Layer.mergeAll(Layer.effectDiscard(announce), answering).pipe(Layer.provide(Service.live))
    ).pipe(Effect.provide(Settings.layer))
  })
).pipe(Command.withDescription("Collect from upstreams and serve"))

const announce = Effect.gen(function* () {
  const settings = yield* Settings
  const { host, port } = yield* Http
  yield* Console.log(
    `plumbline serves at ${settings.base} (listening on ${host}:${port})\n  try: curl ${settings.base}/try\n  stop with Ctrl-C`
  )
})
