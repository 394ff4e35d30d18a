/** Backups of a service, and what comes back from them. */
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { HeadMemory } from "../../core/log/HeadMemory.ts"
import { Log } from "../../core/log/Log.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { backup as write } from "../../runtime/backup/backup.ts"
import { manifestFile, readManifest, tableFile } from "../../runtime/backup/manifest.ts"
import { folderPlace } from "../../runtime/backup/place.ts"
import { restore as read } from "../../runtime/backup/restore.ts"
import { verify } from "../../runtime/backup/verify.ts"
import { factOfRestoring, requireReadable } from "../../runtime/database/formats.ts"
import { sumOf } from "../../runtime/database/tables.ts"
import { headFiles } from "../../runtime/service/headFiles.ts"
import * as Databases from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const place = (database: typeof Databases.postgres) =>
  Layer.build(
    Layer.fresh(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable).pipe(Layer.provideMerge(database)))
  )

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A service that remembers its heads in `folder`. */
const service = (folder: string) =>
  Layer.fresh(
    DailyClose.layer.pipe(
      Layer.provideMerge(Log.layer),
      Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
      Layer.provideMerge(Current.layer),
      Layer.provideMerge(Layer.mergeAll(Runs.feeds, LogKeys.layer())),
      Layer.provide(Layer.succeed(HeadMemory, headFiles(folder)))
    )
  )

/** Readings of one day, and the close of the days before. */
const day = Effect.fnUntraced(function* (now: number) {
  yield* TestClock.setTime(now)
  yield* partitions.ensure(now)
  const start = now - 86_400_000 - (now % 86_400_000)
  const rows = Array.from({ length: 300 }, (_, n) =>
    Runs.row(1000 + n / 7 + (start % 1009), isoTime(start + n * 1001))
  )
  // Characters that end a line for some readers of lines, but not of these.
  rows.push(Runs.row(2 ** 70, isoTime(start), { symbol: "STORJ", value_text: String(2n ** 70n + 1n) }))
  yield* (yield* Ingest).write(Runs.delivery(now, rows))
  yield* (yield* Incidents).open(
    { symbol: "FIL", metric: "nodes_online", from: start, to: start + 9000 },
    `it's "odd"\\ and\nlong\u2028as a note\u0085can be`
  )
  yield* (yield* DailyClose).run
})

const begun = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const at = Date.UTC(2026, 7, 1)
  yield* sql`insert into fact ${sql.insert([
    { name: "mode", value: "live" },
    { name: "log_origin", value: LogKeys.origin },
    { name: "bodies_removed_until:testnet", value: String(at) }
  ])}`
  yield* enter("log", LogKeys.publicKey, { announcedAt: at, notBefore: at, endOfOld: at })
})

const silent = () => Effect.void
const backup = (folder: string, heads: string) =>
  Effect.flatMap(folderPlace(folder), (place) =>
    write(place, { withBodies: true, memory: headFiles(heads), say: silent })
  )
const restore = (folder: string, heads: string) =>
  Effect.flatMap(folderPlace(folder), (place) =>
    read(place, { memory: Effect.succeed(headFiles(heads)), say: silent })
  )

/** Every table of the backup, with the sums that this database computes. */
const sums = Effect.fnUntraced(function* (folder: string) {
  const { tables } = yield* readManifest(folder)
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.andThen(
      sql`set local timezone to 'UTC'`,
      Effect.forEach(tables, ({ name, sum }) => Effect.map(sumOf(name), (actual) => ({ name, sum, actual })))
    )
  )
})

const engines = [
  ["PGlite", Databases.pglite, Databases.postgres],
  ["Postgres", Databases.postgres, Databases.pglite]
] as const

for (const [name, one, other] of engines) {
  it.effect(
    `a backup of ${name} comes back on both engines: the same rows, bodies and log, from which the service goes on`,
    () =>
      Effect.gen(function* () {
        const [folder, heads, elsewhere] = [yield* temporary, yield* temporary, yield* temporary]
        const source = yield* place(one)
        yield* Effect.andThen(begun, day(noon)).pipe(
          Effect.provide(service(heads)),
          Effect.provideContext(source)
        )
        const first = yield* Effect.provideContext(backup(folder, heads), source)
        assert.strictEqual(first.heads.length, 1)
        assert.isAbove(first.bodies?.copied ?? 0, 0)
        // The second one reads only the bodies that are new, and replaces the tables of the first.
        yield* day(noon + 86_400_000).pipe(Effect.provide(service(heads)), Effect.provideContext(source))
        const second = yield* Effect.provideContext(backup(folder, heads), source)
        // An answer, and the rows that it gave.
        assert.strictEqual(second.bodies?.copied, 2)
        assert.strictEqual(second.bodies?.present, first.bodies?.copied)
        assert.strictEqual(readdirSync(folder).filter((entry) => entry.startsWith("database-")).length, 1)

        for (const engine of [one, other]) {
          const target = yield* place(engine)
          yield* Effect.gen(function* () {
            const { bodies, manifest } = yield* restore(folder, elsewhere)
            assert.deepStrictEqual(manifest.log, second.manifest.log)
            assert.strictEqual(bodies.copied, (second.bodies?.copied ?? 0) + (second.bodies?.present ?? 0))
            for (const { actual, name, sum } of yield* sums(folder)) {
              if (name !== "fact") assert.strictEqual(actual, sum, name)
            }
            const { findings, halted, size } = yield* verify(headFiles(elsewhere))
            assert.deepStrictEqual([findings, halted, size], [[], undefined, manifest.log?.size])
            // Bodies whose time was over are looked at again.
            const sql = yield* SqlClient.SqlClient
            assert.deepStrictEqual(
              yield* sql`select name from fact where name like 'bodies\\_removed%' limit 1`,
              []
            )
          }).pipe(Effect.provideContext(target))
          // The head came along, so that the next older copy is refused.
          assert.strictEqual(readdirSync(elsewhere).length, 1)
          yield* day(noon + 2 * 86_400_000).pipe(
            Effect.andThen(Effect.flatMap(Log, ({ signed }) => signed)),
            Effect.tap(({ size }) => Effect.sync(() => assert.isAbove(size, second.manifest.log?.size ?? 0))),
            Effect.provide(service(yield* temporary)),
            Effect.provideContext(target)
          )
        }
      }).pipe(Effect.scoped),
    120_000
  )
}

it.effect(
  "a restored backup that is older than what was signed since signs nothing, and says how to go on",
  () =>
    Effect.gen(function* () {
      const [folder, heads] = [yield* temporary, yield* temporary]
      const source = yield* place(Databases.postgres)
      const target = yield* place(Databases.postgres)
      yield* Effect.gen(function* () {
        yield* Effect.andThen(begun, day(noon)).pipe(Effect.provide(service(heads)))
        yield* backup(folder, heads)
        yield* day(noon + 86_400_000).pipe(Effect.provide(service(heads)))
      }).pipe(Effect.provideContext(source))
      yield* Effect.gen(function* () {
        yield* restore(folder, heads)
        const olderCopy =
          /The head remembered in .* has \d+ entries, but the database has only \d+, so it is an older copy\. .*npx plumbline log repair --from/
        assert.match((yield* verify(headFiles(heads))).halted ?? "", olderCopy)
        // The service as it starts, with its key.
        const error = yield* Effect.gen(function* () {
          const log = yield* Log
          assert.match((yield* log.halted) ?? "", olderCopy)
          return yield* Effect.flip((yield* SqlClient.SqlClient).withTransaction(log.append([], noon)))
        }).pipe(Effect.provide(service(heads)))
        assert.strictEqual(error._tag, "LogHalted")
      }).pipe(Effect.provideContext(target))
    }).pipe(Effect.scoped),
  60_000
)

it.effect(
  "a backup that is damaged, unfinished or of a newer version is refused, and nothing is changed; a stopped restore goes on",
  () =>
    Effect.gen(function* () {
      const [folder, heads] = [yield* temporary, yield* temporary]
      const source = yield* place(Databases.postgres)
      yield* Effect.andThen(begun, day(noon)).pipe(
        Effect.provide(service(heads)),
        Effect.andThen(backup(folder, heads)),
        Effect.provideContext(source)
      )
      const target = yield* place(Databases.postgres)
      const inTarget = Effect.provideContext(target)
      const refusal = Effect.map(Effect.flip(restore(folder, heads)), ({ message }) => message).pipe(inTarget)
      const manifest = yield* readManifest(folder)
      const text = readFileSync(manifestFile(folder), "utf8")

      assert.match(
        yield* Effect.map(Effect.flip(restore(heads, heads)), ({ message }) => message).pipe(inTarget),
        /is not a finished backup: .*Name the folder of another/
      )
      const rows = tableFile(folder, manifest.database, "observation_2026_09")
      const whole = readFileSync(rows)
      appendFileSync(rows, "x")
      assert.match(
        yield* refusal,
        /observation_2026_09\.jsonl\.zst does not have its hash; use another backup/
      )
      writeFileSync(rows, whole)
      writeFileSync(manifestFile(folder), text.replace(/"data":\d+/, '"data":9999'))
      assert.match(yield* refusal, /was made by Plumbline .*, which is newer/)

      // Stops after the bodies, with a table that is not what was saved.
      const [sum = ""] = manifest.tables.flatMap(({ name, sum }) => (name === "revision" ? [sum] : []))
      writeFileSync(manifestFile(folder), text.replace(JSON.stringify(sum), '"7 rows 7"'))
      assert.match(yield* refusal, /the rows of \w+ differ after the copy/)
      yield* inTarget(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* sql`select count(*)::int as n from run`, [{ n: 0 }])
        })
      )
      writeFileSync(manifestFile(folder), text)
      // As one that is killed leaves it: some tables are there, and nothing but a restore takes the database.
      yield* inTarget(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`insert into fact ${sql.insert({ name: factOfRestoring, value: manifest.made_at })}`
          yield* sql`insert into series (symbol, metric, source, plugin, tier, unit) values ('FIL', 'm', 's', 'p', 't', 'count')`
          assert.match(
            (yield* Effect.flip(requireReadable)).message,
            /restore <folder> again, which begins anew/
          )
        })
      )
      const { bodies } = yield* inTarget(restore(folder, heads))
      yield* inTarget(requireReadable)
      assert.deepStrictEqual([bodies.copied, bodies.present > 0], [0, true])
      // Once more: everything is there.
      assert.strictEqual((yield* inTarget(restore(folder, heads))).bodies.copied, 0)
      assert.match(
        yield* Effect.map(Effect.flip(restore(folder, heads)), ({ message }) => message).pipe(
          Effect.provideContext(source)
        ),
        /the target is not empty: its table \w+ has rows; use a new database or folder/
      )
    }).pipe(Effect.scoped),
  60_000
)

it.effect("a body that was altered in a backup is left out and named", () =>
  Effect.gen(function* () {
    const [folder, heads] = [yield* temporary, yield* temporary]
    const source = yield* place(Databases.postgres)
    yield* Effect.andThen(begun, day(noon)).pipe(
      Effect.provide(service(heads)),
      Effect.andThen(backup(folder, heads)),
      Effect.provideContext(source)
    )
    const bodies = join(folder, "bodies")
    const [part = ""] = readdirSync(bodies)
    const [file = ""] = readdirSync(join(bodies, part))
    assert.strictEqual(statSync(join(bodies, part, file)).mode & 0o777, 0o600)
    writeFileSync(join(bodies, part, file), "altered")
    const target = yield* place(Databases.postgres)
    const restored = yield* Effect.provideContext(restore(folder, heads), target)
    const sha256 = file.slice(0, 64)
    assert.deepStrictEqual(restored.bodies.damaged, [sha256])
    assert.strictEqual((yield* Context.get(target, Blobs).stored([sha256])).size, 0)
  }).pipe(Effect.scoped)
)
