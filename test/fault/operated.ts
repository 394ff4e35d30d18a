/**
 * A running service as operators' commands meet it, without upstreams: it owns `DATA_DIR`, keeps runs of known content
 * and carries out what comes through the socket. Says `ready`, `kept <n>`; ends after the run in which it was told to.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { serveAdmin } from "../../runtime/commands/serveRemote.ts"
import * as Database from "../../runtime/database/Database.ts"
import { operating, settled } from "../../runtime/service/operating.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import * as Runs from "../support/runs.ts"
import { runOf } from "./content.ts"

const service = serveAdmin.pipe(
  Layer.provideMerge(settled),
  Layer.provideMerge(operating("live")),
  Layer.provideMerge(Runs.feeds),
  Layer.provideMerge(Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, "live")))),
  Layer.provideMerge(Settings.layer),
  Layer.provideMerge(NodeServices.layer)
)

let stopping = false
process.once("SIGTERM", () => {
  stopping = true
})

Effect.runFork(
  Effect.gen(function* () {
    const ingest = yield* Ingest
    process.stdout.write("ready\n")
    for (let n = 0; !stopping; n++) {
      yield* ingest.write(runOf(n))
      process.stdout.write(`kept ${n}\n`)
      // A service that never rests would leave the commands no processor.
      yield* Effect.sleep("250 millis")
    }
  }).pipe(Effect.provide(service), Effect.tapCause(Effect.logError))
)
