/**
 * A process that keeps runs of known content until it is killed: `ingester.ts <number of the first run>`, with the
 * database of its environment. Says `ready` when the database is open, `begins <n>` and `kept <n>` around each run.
 */
import { Effect, Layer } from "effect"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as Database from "../../runtime/database/Database.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import * as Runs from "../support/runs.ts"
import { runOf } from "./content.ts"

const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, "live"))).pipe(
  Layer.provide(Settings.layer)
)

export const services = Ingest.layer.pipe(
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Runs.feeds),
  Layer.provideMerge(database)
)

if (import.meta.main) {
  const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
  const first = Number(process.argv[2])
  Effect.runFork(
    Effect.gen(function* () {
      const ingest = yield* Ingest
      yield* ingest.recover("testnet")
      yield* say("ready")
      for (let n = first; ; n++) {
        yield* say(`begins ${n}`)
        yield* ingest.write(runOf(n))
        yield* say(`kept ${n}`)
      }
    }).pipe(Effect.provide(services), Effect.tapCause(Effect.logError))
  )
}
