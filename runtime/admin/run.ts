/**
 * Runs operator commands that need the database. On the embedded engine a running service executes them, because the
 * directory has one owner. Without a running service, and on Postgres, the command opens the database itself.
 */
import { Context, Effect, Layer, Option } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { Feeds } from "../../core/data/Feeds.ts"
import type { Blobs } from "../../core/data/ingest/Blobs.ts"
import { NotPassed } from "../cli/usage.ts"
import * as Plugins from "../collector/plugins.ts"
import * as Database from "../database/Database.ts"
import { type Operating, operating } from "../service/layers.ts"
import { Settings } from "../service/Settings.ts"
import * as Owner from "./socket.ts"

/** The services of the running service that executes a command; none outside of one. */
export const Inside = Context.Reference<Option.Option<Context.Context<Operating>>>(
  "runtime/admin/run/Inside",
  {
    defaultValue: () => Option.none()
  }
)

const feeds = Layer.effect(
  Feeds,
  Effect.map(Plugins.all(), (plugins) =>
    Feeds.of({ manifests: plugins.map(({ manifest }) => manifest), states: Effect.succeed(new Map()) })
  )
)

const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings)))

const unmigrated = Layer.unwrap(Effect.map(Settings, Database.engine))

/** All services that operator commands use, opened for one command. */
const opened = Layer.unwrap(Effect.map(Database.heldMode, operating)).pipe(
  Layer.provideMerge(feeds),
  Layer.provideMerge(database)
)

/**
 * Runs an effect where the database is. `words` is the command line that a running service receives. Its working
 * directory differs, so paths in it must be absolute.
 */
export const operate = <A, E>(
  work: Effect.Effect<A, E, Operating>,
  words: ReadonlyArray<string> = process.argv.slice(2)
) => whereTheDataIs(work, opened, words)

/** Like `operate`, for commands that come before the service: they need no key yet. */
export const operateOnDatabase = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  whereTheDataIs(work, database, process.argv.slice(2))

/** Like `operate`, for commands that must not migrate the database. */
export const operateOnEngine = <A, E>(
  work: Effect.Effect<A, E, SqlClient.SqlClient | Blobs>,
  words: ReadonlyArray<string>
) => whereTheDataIs(work, unmigrated, words)

const whereTheDataIs = <A, E, R extends Operating, E2>(
  work: Effect.Effect<A, E, R>,
  services: Layer.Layer<R, E2, Settings>,
  words: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const inside = yield* Inside
    if (Option.isSome(inside)) return yield* Effect.provide(work, inside.value)
    const settings = yield* Settings
    if (Option.isNone(settings.databaseUrl)) {
      const exit = yield* Owner.forward(settings.dataDir, words)
      if (exit !== undefined) return exit === 0 ? undefined : yield* new NotPassed({ code: exit })
    }
    return yield* Effect.provide(work, services)
  }).pipe(Effect.provide(Settings.layer))
