/** Tests of ingest on both engines: each begins with empty tables, at noon. */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { chunkRows } from "../../../core/readings/ingest/Registry.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { type Database, onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"

export const noon = Date.UTC(2026, 8, 5, 12)

/** Ingest with so many rows a transaction: by default, the runs of these tests are of several. */
export const servicesOn = (database: Database, rows = 1000) =>
  Ingest.layer.pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(Layer.succeed(chunkRows, rows)),
    Layer.provideMerge(database)
  )

/** Empties the tables. */
export const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob,
    unfinished, fact`
  const current = yield* Current
  yield* current.reload
  yield* TestClock.setTime(noon)
  return yield* Ingest
})

type Ingesting = <A, E>(
  name: string,
  body: (ingest: Ingest["Service"]) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof servicesOn>>>
) => void

export const ingestingOnBoth = (name: string, tests: (testIngest: Ingesting) => void) =>
  onBothEngines(name, (database) => {
    layer(servicesOn(database))((it) => {
      tests((name, body) => it.effect(name, () => Effect.flatMap(fresh, body)))
    })
  })
