/** Databases for tests: each file gets its own clone of what `setup.ts` made. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import type * as PgClient from "@effect/sql-pg/PgClient"
import { describe } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import * as Pglite from "../../runtime/database/Pglite.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"

export type Database = Layer.Layer<PgClient.PgClient | SqlClient.SqlClient>

/** The pool keeps real time: a test that turns its clock by years must not wake its upkeep once a minute of them. */
const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** What the running file has made on the run's Postgres. A process runs one file after the other. */
const names = new Set<string>()

/** A session of the run's Postgres that makes and drops databases. */
const administered = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  effect.pipe(
    Effect.provide(Postgres.layer(Redacted.make(`${inject("postgres")}/postgres`))),
    Effect.provide(realTime),
    Effect.orDie
  )

const newUrl = Effect.fnUntraced(function* (template: string) {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  names.add(name)
  yield* administered(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create database ${sql(name)} template ${sql(template)}`
    })
  )
  return `${inject("postgres")}/${name}`
})

/** Drops what the file has made, also what a process that it started still uses: 13 MB each, of which a run makes hundreds. */
export const dropDatabases: Effect.Effect<void> = Effect.suspend(() =>
  names.size === 0
    ? Effect.void
    : administered(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const name of names) yield* sql`drop database if exists ${sql(name)} with (force)`
          names.clear()
        })
      )
)

/** A new database on the run's Postgres, migrated; gives its URL. Dropped when the file ends. */
export const cloneUrl: Effect.Effect<string> = newUrl("plumbline_template")

/** A new database without tables; gives its URL. */
export const emptyUrl: Effect.Effect<string> = newUrl("template1")

/** A clone on Postgres. */
export const postgres: Database = Layer.unwrap(
  Effect.map(cloneUrl, (url) => Postgres.layer(Redacted.make(url)))
).pipe(Layer.provide(realTime), Layer.orDie)

/** A database without tables on Postgres. */
export const emptyPostgres: Database = Layer.unwrap(
  Effect.map(emptyUrl, (url) => Postgres.layer(Redacted.make(url)))
).pipe(Layer.provide(realTime), Layer.orDie)

const wasm = new URL(
  "pglite.wasm",
  pathToFileURL(createRequire(import.meta.url).resolve("@electric-sql/pglite"))
)
let engine: Promise<WebAssembly.Module> | undefined

/** Compiled once for all files of a process: to make machine code of it takes longer than most tests. */
const compiledEngine = Effect.promise((): Promise<WebAssembly.Module> => {
  engine ??= WebAssembly.compile(readFileSync(wasm))
  return engine
})

/** A clone on the embedded engine. */
export const pglite: Database = Layer.unwrap(
  Effect.map(compiledEngine, (module) => Pglite.layer({ load: readFileSync(inject("pgliteDump")), module }))
).pipe(Layer.provide(realTime), Layer.orDie)

/** The same in a folder, which is made first with `isNew`. */
export const pgliteIn = (dataDir: string, isNew: boolean): Database =>
  Layer.unwrap(
    Effect.map(compiledEngine, (module) =>
      Pglite.layer({ dataDir, module, ...(isNew ? { load: readFileSync(inject("pgliteDump")) } : {}) })
    )
  ).pipe(Layer.provide(realTime), Layer.orDie)

/** A database without tables on the embedded engine. */
export const emptyPglite: Database = Layer.unwrap(
  Effect.map(compiledEngine, (module) => Pglite.layer({ module }))
).pipe(Layer.provide(realTime), Layer.orDie)

/** Runs one suite on both engines; with `ENGINES=postgres`, as the check of a commit has it, on Postgres alone. */
export const onBothEngines = (name: string, suite: (database: Database) => void): void => {
  describe(`${name} (Postgres)`, () => suite(postgres))
  if (process.env["ENGINES"] !== "postgres") describe(`${name} (PGlite)`, () => suite(pglite))
}
