/** A backup that goes to a bucket as it is made, and comes back from there. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { backup } from "../../runtime/backup/backup.ts"
import { bucketPlace } from "../../runtime/backup/place.ts"
import { restore } from "../../runtime/backup/restore.ts"
import { headFiles } from "../../runtime/service/headFiles.ts"
import { bucketServer } from "../support/bucketServer.ts"
import * as Databases from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"
import { bucket, placeOf } from "../support/stores.ts"

const noon = Date.UTC(2026, 8, 5, 12)

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-bucket-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Files of tables that are on this machine. */
const tablesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl.zst"))
    : []

it.live(
  "a backup goes to a bucket table by table, replaces the one before, and comes back whole",
  () =>
    Effect.gen(function* () {
      const server = yield* bucketServer([bucket])
      const place = Effect.flatMap(temporary, (folder) =>
        bucketPlace(placeOf(server, { prefix: "saved/" }), folder)
      )
      const keys = () => [...server.objects.keys()].map((key) => key.replace(`${bucket}/saved/`, ""))
      const memory = headFiles(yield* temporary)
      const delivery = Runs.delivery(noon, [Runs.row(100, isoTime(noon))])
      const source = yield* Layer.build(
        Layer.provideMerge(ArchiveFiles.layerTable, logged(Databases.postgres, noon))
      )
      yield* Effect.gen(function* () {
        yield* (yield* Ingest).write(delivery)
        const first = yield* place
        const say = (line: string) =>
          Effect.sync(() => {
            const [, table] = /^ +\d+ {2}(\w+)$/.exec(line) ?? []
            if (table === undefined) return
            assert.isTrue(
              keys().some((key) => key.endsWith(`/${table}.jsonl.zst`)),
              table
            )
            assert.deepStrictEqual(tablesIn(first.folder), [], "what is in the bucket is not here")
          })
        const { bodies } = yield* backup(first, { withBodies: true, memory, say })
        assert.isAbove(bodies?.copied ?? 0, 1)
        const again = yield* backup(yield* place, { withBodies: true, memory, say: () => Effect.void })
        assert.strictEqual(again.bodies?.copied, 0)
        const folders = new Set(keys().flatMap((key) => /^database-[^/]+/.exec(key)?.[0] ?? []))
        assert.deepStrictEqual([...folders], [again.manifest.database])
      }).pipe(Effect.provideContext(source))

      const target = yield* Layer.build(
        Layer.fresh(
          Layer.provideMerge(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable), Databases.pglite)
        )
      )
      yield* Effect.gen(function* () {
        const options = { memory: Effect.succeed(memory), say: () => Effect.void }
        const restored = yield* restore(yield* place, options)
        assert.isAbove(restored.bodies.copied, 1)
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select id, n_rows from run`, [{ id: delivery.run.id, n_rows: 1 }])
        const hashes = [...delivery.bodies.keys()]
        assert.strictEqual((yield* Context.get(target, Blobs).stored(hashes)).size, hashes.length)
        const nowhere = yield* bucketPlace(placeOf(server, { prefix: "other/" }), yield* temporary)
        assert.match(
          (yield* Effect.flip(restore(nowhere, options))).message,
          /other\/ is not a finished backup/
        )
      }).pipe(Effect.provideContext(target))
    }).pipe(Effect.scoped),
  60_000
)
