/** A new database is a copy of the empty one that `npm ci` made, or is made. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { emptyFolder } from "../../runtime/database/emptyFolder.ts"
import * as NewFolder from "../../runtime/database/newFolder.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-folder-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Makes a folder with a file `mark` in it, to know its copies by. */
const marked = Effect.fnUntraced(function* (above: string) {
  const { ready, path } = NewFolder.make(join(above, "marked"), "")
  assert.isUndefined(yield* Effect.promise(() => ready))
  writeFileSync(join(path, "mark"), "")
  return path
})

const modesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => `${statSync(join(folder, name)).mode.toString(8)} ${name}`)

const answers = (dataDir: string) =>
  Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 as one`),
    Pglite.layer({ dataDir })
  )

describe("the folder of a new database", () => {
  it.live(
    "is a copy of the empty one, with its modes, and opens",
    () =>
      Effect.gen(function* () {
        const above = yield* temporary
        const empty = yield* marked(above)
        const dataDir = join(above, "copy")
        const { ready, path } = NewFolder.make(dataDir, empty)
        assert.isUndefined(yield* Effect.promise(() => ready))
        assert.deepStrictEqual(modesOf(path), modesOf(empty))
        assert.isTrue(existsSync(join(path, "mark")))
        renameSync(path, dataDir)
        assert.deepStrictEqual(yield* answers(dataDir), [{ one: 1 }])
      }),
    60_000
  )

  it.live(
    "is made where there is no whole one to copy",
    () =>
      Effect.gen(function* () {
        const above = yield* temporary
        const empty = yield* marked(above)
        rmSync(join(empty, "PG_VERSION"))
        const { discard, ready, path } = NewFolder.make(join(above, "made"), empty)
        assert.isUndefined(yield* Effect.promise(() => ready))
        assert.isFalse(existsSync(join(path, "mark")))
        assert.isTrue(NewFolder.isMade(path))
        discard()
        assert.isFalse(existsSync(path))
      }),
    60_000
  )

  it.live(
    "has an empty one to copy after npm ci, which runs prepare; it leaves nothing else",
    () =>
      Effect.sync(() => {
        const script = fileURLToPath(new URL("../../runtime/release/prepare.ts", import.meta.url))
        const output = execFileSync(process.execPath, [script], { encoding: "utf8", stdio: "pipe" })
        assert.strictEqual(output, "")
        const empty = emptyFolder()
        assert.isTrue(NewFolder.isMade(empty))
        const there = readdirSync(join(empty, "..")).filter((name) => name.startsWith("postgres-"))
        assert.isFalse(
          there.some((name) => name.includes(".new")),
          there.join(" ")
        )
      }),
    60_000
  )
})
