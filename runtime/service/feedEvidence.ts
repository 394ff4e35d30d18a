/** What the service knows of a feed before its first run: the captured answers that are there, and whether its code reads them. */
import { Effect, Layer } from "effect"
import { FeedEvidence } from "../../core/readings/ingest/confirmation.ts"
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

/**
 * The shape that a code reads is kept while it gives the series of the captured answers. A feed that has none, because its
 * second source confirmed it, is compared with that again.
 */
export const feedEvidence = Layer.effect(
  FeedEvidence,
  Effect.map(Settings, ({ dataDir }) => ({
    hasCase: (plugin: string) => reads(plugin, dataDir),
    isShapeKept: (plugin: string) => reads(plugin, dataDir)
  }))
)
