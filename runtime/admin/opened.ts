/** The services of operator commands, opened for one command: where no service runs that could execute it. */
import { Effect, Layer } from "effect"
import { Feeds } from "../../core/readings/Feeds.ts"
import * as Plugins from "../collector/plugins.ts"
import * as Database from "../database/Database.ts"
import { operating } from "../service/operating.ts"
import { Settings } from "../settings/Settings.ts"

const feeds = Layer.effect(
  Feeds,
  Effect.map(Plugins.all(), (plugins) =>
    Feeds.of({ manifests: plugins.map(({ manifest }) => manifest), states: Effect.succeed(new Map()) })
  )
)

/** The database alone. */
export const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings)))

/** The database as it is, without its migrations. */
export const unmigrated = Layer.unwrap(Effect.map(Settings, (settings) => Database.engine(settings)))

/** All services that operator commands use. */
export const opened = Layer.unwrap(Effect.map(Database.heldMode, operating)).pipe(
  Layer.provideMerge(feeds),
  Layer.provideMerge(database)
)
