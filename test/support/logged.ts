/** A log and what stores the readings that it is of, on a database: what a test of either stands on. */
import { Effect, Layer } from "effect"
import { Log } from "../../core/log/Log.ts"
import type { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import type { Database } from "./database.ts"
import * as LogKeys from "./logKey.ts"
import * as Runs from "./runs.ts"

/** `at` is a time of the readings, for which the database has room then. */
export const logged = (database: Database, at: number, feeds: Layer.Layer<Feeds> = Runs.feeds) =>
  Log.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(at)))),
    Layer.provideMerge(feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )
