/** What the service knows of a feed before its first run: the captured answers that are there, and whether its code reads them. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { providing } from "../../core/process/providing.ts"
import { FeedEvidence } from "../../core/readings/ingest/compare/confirmation.ts"
import { isShapeUnchanged } from "../../core/readings/ingest/shapes/contracts.ts"
import * as Plugins from "../collector/plugins.ts"
import { Settings } from "../settings/Settings.ts"

/** Loaded when a feed runs with a code for the first time: no other start needs the contributor's tools. */
const tools = Effect.promise(
  async () => await Promise.all([import("../contributor/captured.ts"), import("../contributor/fixtures.ts")])
)

const reads = Effect.fnUntraced(
  function* (id: string, dataDir: string) {
    const [{ capturedIn, readsCaptured }, { root }] = yield* tools
    return yield* readsCaptured(yield* Plugins.load(id), [capturedIn(dataDir), root])
  },
  Effect.catchCause((cause) =>
    Effect.as(Effect.logWarning("cannot compare a feed with its captured answers", cause), false)
  )
)

/** Without captured answers, what the upstream sends decides: as long as it holds what it did, the next code may read it. */
const isShapeKept = Effect.fnUntraced(function* (id: string, before: string, dataDir: string) {
  return (yield* reads(id, dataDir)) ?? (yield* isShapeUnchanged(id, { from: before }))
})

export const feedEvidence = Layer.effect(
  FeedEvidence,
  Effect.gen(function* () {
    const { dataDir } = yield* Settings
    const provided = yield* providing(SqlClient.SqlClient)
    return {
      hasCase: (plugin: string) => Effect.map(reads(plugin, dataDir), (read) => read === true),
      isShapeKept: (plugin: string, before: string) =>
        Effect.catchTag(provided(isShapeKept)(plugin, before, dataDir), "SqlError", (error) =>
          Effect.as(Effect.logWarning("cannot compare a feed with what its answers held", error), false)
        )
    }
  })
)
