/** What `serve` begins before its code is loaded, and what is left of it if it serves nothing. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as NewFolder from "../../runtime/database/newFolder.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { databaseOf } from "../../runtime/service/early.ts"

const file = (path: string) => fileURLToPath(new URL(`../../runtime/${path}`, import.meta.url))

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-early-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The name of the first thing in a folder, once there is one. */
const begun = (folder: string) =>
  Effect.gen(function* () {
    while (true) {
      const [name] = existsSync(folder) ? readdirSync(folder) : []
      if (name !== undefined) return name
      yield* Effect.sleep("20 millis")
    }
  })

describe("a service that starts", () => {
  it("makes a new database early only where it will surely be its own", () => {
    assert.strictEqual(databaseOf([], {}), join("data", "pglite"))
    assert.strictEqual(databaseOf(["--replay"], {}), join(".demo", "pglite"))
    assert.strictEqual(databaseOf(["--replay"], { DATA_DIR: "/there" }), "/there/pglite")
    for (const flags of [["--help"], ["--replay", "--help"], ["--reply"], ["--replay=false"], ["more"]])
      assert.isUndefined(databaseOf(flags, {}), flags.join(" "))
    assert.isUndefined(databaseOf([], { DATA_DIR: "" }))
    assert.isUndefined(databaseOf([], { DATABASE_URL: "postgres://localhost/plumbline" }))
  })

  it.live(
    "opens the database that it began early",
    () =>
      Effect.gen(function* () {
        const folder = join(yield* temporary, "data")
        const dataDir = join(folder, "pglite")
        assert.isTrue(NewFolder.startEarly(dataDir))
        const early = yield* begun(folder)
        const { ino } = statSync(join(folder, early))
        yield* Effect.provide(Effect.asVoid(SqlClient.SqlClient), Pglite.layer({ dataDir }))
        assert.deepStrictEqual(readdirSync(folder), ["pglite"])
        assert.strictEqual(statSync(dataDir).ino, ino)
        assert.isFalse(NewFolder.startEarly(dataDir))
      }),
    60_000
  )

  it.live(
    "leaves nothing where it cannot serve",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const { status, stderr } = spawnSync(process.execPath, [file("bin.ts"), "serve"], {
          env: { PATH: process.env["PATH"], DATA_DIR: join(folder, "data"), PORT: "none" },
          encoding: "utf8"
        })
        assert.strictEqual(status, 1)
        assert.include(stderr, "PORT")
        assert.deepStrictEqual(readdirSync(folder), [])
      }),
    60_000
  )

  it.live(
    "leaves no database that nobody took when it is killed",
    () =>
      Effect.gen(function* () {
        const folder = join(yield* temporary, "data")
        const script = `import { startEarly } from "${file("database/newFolder.ts")}"
          startEarly(${JSON.stringify(join(folder, "pglite"))})`
        const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "ignore" })
        const ended = once(child, "exit")
        yield* begun(folder)
        child.kill("SIGKILL")
        yield* Effect.promise(() => ended)
        while (readdirSync(folder).length > 0) yield* Effect.sleep("20 millis")
      }),
    60_000
  )
})
