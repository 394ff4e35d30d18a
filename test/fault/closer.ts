/** A process that closes every day that is due in the database of its environment. Says `begins` and, at its end, `closed`. */
import { Effect, Layer } from "effect"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as Database from "../../runtime/database/Database.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, "live"))).pipe(
  Layer.provide(Settings.layer)
)

/** Series of a day, each of a symbol of its own. */
export const series = 3000

const feeds = Runs.feedsOf(Array.from({ length: series }, (_, index) => `S${index}`))

export const services = DailyClose.layer.pipe(
  Layer.provideMerge(Log.layer),
  Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(feeds),
  // A replay's key: what it closes says the same whenever it is closed.
  Layer.provideMerge(LogKeys.layer(true)),
  Layer.provideMerge(database)
)

if (import.meta.main) {
  const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
  await Effect.runPromise(
    Effect.gen(function* () {
      const close = yield* DailyClose
      yield* say("begins")
      yield* close.run
      yield* say("closed")
    }).pipe(Effect.provide(services))
  )
}
