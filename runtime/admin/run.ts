/**
 * Operators' commands that need the database. On the embedded engine a running service carries them out, because the
 * directory has one owner; without one, and on Postgres, the command opens the database itself.
 */
import { Context, Effect, Layer, Option } from "effect"
import { Feeds } from "../../core/data/Feeds.ts"
import { NotPassed } from "../cli/usage.ts"
import * as Plugins from "../collector/plugins.ts"
import * as Database from "../database/Database.ts"
import { type Operating, operating } from "../service/layers.ts"
import { Settings } from "../service/Settings.ts"
import * as Owner from "./socket.ts"

/** The services of the process that carries a command out, when it is a running service. */
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

/** All services of an operator, opened for one command. */
const opened = Layer.unwrap(Effect.map(Database.heldMode, operating)).pipe(
  Layer.provideMerge(feeds),
  Layer.provideMerge(Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings))))
)

/**
 * Carries an effect out where the database is. `words` is the command line as a running service is to read it: its
 * working directory is another one, so paths stand there whole.
 */
export const operate = <A, E>(
  work: Effect.Effect<A, E, Operating>,
  words: ReadonlyArray<string> = process.argv.slice(2)
) =>
  Effect.gen(function* () {
    const inside = yield* Inside
    if (Option.isSome(inside)) return yield* Effect.provide(work, inside.value)
    const settings = yield* Settings
    if (Option.isNone(settings.databaseUrl)) {
      const exit = yield* Owner.forward(settings.dataDir, words)
      if (exit !== undefined) return exit === 0 ? undefined : yield* new NotPassed({ code: exit })
    }
    return yield* Effect.provide(work, opened)
  }).pipe(Effect.provide(Settings.layer))
