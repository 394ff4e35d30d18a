/**
 * Runs operator commands that need the database. On the embedded engine a running service executes them, because the
 * directory has one owner. Without a running service, and on Postgres, the command opens the database itself; only then
 * is the code that does so loaded.
 */
import { Context, Effect, type Layer, Option } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import type { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { NotPassed } from "../cli/usage.ts"
import * as Owner from "../database/ownership.ts"
import type { Operating } from "../service/operating.ts"
import { Settings } from "../settings/Settings.ts"

/** The services of the running service that executes a command; none outside of one. */
export const Inside = Context.Reference<Option.Option<Context.Context<Operating>>>(
  "runtime/admin/run/Inside",
  {
    defaultValue: () => Option.none()
  }
)

const opening = Effect.promise(() => import("./opened.ts"))

/**
 * Hands the command line to the running service, if it is the one that owns the data, and prints what it answers.
 * Otherwise does `work` here, as it also does inside the service. The working directory of the service differs, so paths
 * in `argv` must be absolute.
 */
export const forwarded = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  argv: ReadonlyArray<string> = process.argv.slice(2)
) =>
  Effect.gen(function* () {
    const settings = yield* Settings
    if (Option.isNone(yield* Inside) && Option.isNone(settings.databaseUrl)) {
      const exit = yield* Owner.forward(settings.dataDir, argv)
      if (exit !== undefined) return exit === 0 ? undefined : yield* new NotPassed({ code: exit })
    }
    return yield* work
  })

/** Runs an effect where the database is. `argv` is the command line that a running service receives (`forwarded`). */
export const operate = <A, E>(
  work: Effect.Effect<A, E, Operating>,
  argv: ReadonlyArray<string> = process.argv.slice(2)
) =>
  whereTheDataIs(
    work,
    Effect.map(opening, ({ opened }) => opened),
    argv
  )

/** Like `operate`, for commands that come before the service: they need no key yet. */
export const operateOnDatabase = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  whereTheDataIs(
    work,
    Effect.map(opening, ({ database }) => database),
    process.argv.slice(2)
  )

/** Like `operate`, for commands that must not migrate the database. */
export const operateOnEngine = <A, E>(
  work: Effect.Effect<A, E, ArchiveFiles | Blobs | SqlClient.SqlClient>,
  argv: ReadonlyArray<string>
) =>
  whereTheDataIs(
    work,
    Effect.map(opening, ({ unmigrated }) => unmigrated),
    argv
  )

const whereTheDataIs = <A, E, R extends Operating, E2>(
  work: Effect.Effect<A, E, R>,
  services: Effect.Effect<Layer.Layer<R, E2, Settings>>,
  argv: ReadonlyArray<string>
) =>
  forwarded(
    Effect.gen(function* () {
      const inside = yield* Inside
      return yield* Option.isSome(inside)
        ? Effect.provide(work, inside.value)
        : Effect.provide(work, yield* services)
    }),
    argv
  ).pipe(Effect.provide(Settings.layer))
