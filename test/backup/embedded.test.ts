/** A backup of the embedded database, which has one session, while it is written to. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { backup } from "../../runtime/backup/backup.ts"
import { readManifest } from "../../runtime/backup/manifest.ts"
import { folderPlace } from "../../runtime/backup/place.ts"
import { restore } from "../../runtime/backup/restore.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { headFiles } from "../../runtime/service/headFiles.ts"
import * as Databases from "../support/database.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-embedded-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const stored = Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable)
const openedIn = (dataDir: string) =>
  Layer.provideMerge(stored, Pglite.layer({ dataDir, load: readFileSync(inject("pgliteDump")) }))

it.live(
  "goes on while others write, holds what was there when it began, and leaves no copy behind",
  () =>
    Effect.gen(function* () {
      const [place, saved, heads] = [yield* temporary, yield* temporary, yield* temporary]
      const memory = headFiles(heads)
      const order: Array<string> = []
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact (name, value) select 'before ' || n, repeat('x', 500) from generate_series(1, 5000) n`
        const begun = yield* Deferred.make<void>()
        const say = () => Effect.asVoid(Deferred.succeed(begun, undefined))
        const saving = yield* backup(yield* folderPlace(saved), { withBodies: true, memory, say }).pipe(
          Effect.tap(() => Effect.sync(() => order.push("saved"))),
          Effect.forkChild
        )
        yield* Deferred.await(begun)
        yield* sql`insert into fact (name, value) values ('meanwhile', 'yes')`
        order.push("written")
        yield* Fiber.join(saving)
      }).pipe(Effect.provide(openedIn(join(place, "pglite"))))
      assert.deepStrictEqual(order, ["written", "saved"])
      assert.deepStrictEqual(readdirSync(place), ["pglite"])

      const { tables } = yield* readManifest(saved)
      assert.strictEqual(tables.find(({ name }) => name === "fact")?.rows, 5000)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* restore(yield* folderPlace(saved), { memory: Effect.succeed(memory), say: () => Effect.void })
        assert.deepStrictEqual(yield* sql`select name from fact where name = 'meanwhile'`, [])
      }).pipe(Effect.provide(Layer.provideMerge(stored, Databases.postgres)))
    }).pipe(Effect.scoped),
  120_000
)

it.live(
  "is refused where the copy cannot be read, and the database goes on",
  () =>
    Effect.gen(function* () {
      const [place, saved, heads] = [yield* temporary, yield* temporary, yield* temporary]
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // What the log's head says is not what the database has.
        yield* sql`insert into checkpoint (size, root, note, signed_at) values (3, 'none', 'none', now())`
        const failure = yield* Effect.flip(
          backup(yield* folderPlace(saved), {
            withBodies: true,
            memory: headFiles(heads),
            say: () => Effect.void
          })
        )
        assert.match(failure.message, /^the database could not be saved: the log does not match/)
        assert.isFalse(existsSync(join(saved, "backup.json")))
        assert.lengthOf(yield* sql`select 1`, 1)
      }).pipe(Effect.provide(openedIn(join(place, "pglite"))))
      assert.deepStrictEqual(readdirSync(place), ["pglite"])
    }).pipe(Effect.scoped),
  120_000
)
