/** A log whose tail was lost is repaired from any mirror that has what was signed, and from no other. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { HeadMemory } from "../../core/log/HeadMemory.ts"
import { Log } from "../../core/log/Log.ts"
import * as files from "../../core/log/record/files.ts"
import { repair } from "../../core/log/repair.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { entriesPath } from "../../core/proof/tiles.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { mirrorAt } from "../../runtime/outside/mirror.ts"
import { headFiles } from "../../runtime/service/headFiles.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const newFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-repair-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The log as plain files, as the service serves them, in a folder. */
const mirrored = Effect.fnUntraced(function* (folder: string) {
  const sql = yield* SqlClient.SqlClient
  const put = (path: string, content: string | Uint8Array) => {
    const file = join(folder, "v1/log", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  put("checkpoint", yield* files.checkpoint)
  const { size } = yield* (yield* Log).signed
  const entries = entriesPath(0, size)
  put(entries, yield* files.tile(entries.slice("tile/".length)))
  const texts = yield* sql<{ text: string }>`select text from log_entry order by place`
  for (const { text } of texts) {
    const entry = parseEntry(text)
    if (isBatch(entry)) {
      const [day = ""] = entry.days
      put(`batches/${day}/leaves`, yield* Stream.mkString(yield* files.leaves(day)))
      put(`batches/${day}/absent`, yield* files.absent(day))
    } else put(`documents/${entry.sha256}`, (yield* files.document(entry.sha256)).body)
  }
  const heads = yield* sql<{ size: number }>`select size from checkpoint`
  for (const { size } of heads) put(`checkpoints/${size}`, yield* files.checkpointAt(String(size)))
})

/** Serves a folder on a port of this machine. */
const served = (folder: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ url: string; close: () => void }>((resolve) => {
          const server = createServer((request, response) => {
            try {
              response.end(readFileSync(join(folder, request.url ?? "")))
            } catch {
              response.writeHead(404).end()
            }
          }).listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({ url: `http://127.0.0.1:${port}/`, close: () => server.close() })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )

/** Everything published, except the numbers of rows, which are the database's own. */
const published = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    entries: yield* sql`select place, text, encode(hash, 'hex') as hash from log_entry order by place`,
    heads: yield* sql`select size, root, note from checkpoint order by size`,
    documents: yield* sql`select sha256, kind, subject, media_type, body from document order by sha256`,
    batches: yield* sql`
      select day::text, cut_off, closed_at, late, root, tree_size, n_readings, n_late, n_revisions, n_absent, absent,
        log_index from batch order by day`,
    leaves: yield* sql`
      select b.day::text as batch, l.place, l.series, l.day::text, l.incident, l.version, l.text,
        encode(l.hash, 'hex') as hash from leaf l join batch b on b.id = l.batch order by b.day, l.place`,
    levels: yield* sql`
      select b.day::text, t.level, encode(t.hashes, 'hex') as hashes from tree_level t join batch b on b.id = t.batch
      order by b.day, t.level`,
    days: yield* sql`
      select d.series, d.day::text, d.incident, d.version, d.as_of, d.value, d.n_observations, d.recorded_at,
        d.readings_sha256, b.day::text as sealed_by from daily d left join batch b on b.id = d.sealed_by
      order by d.series, d.day, d.incident, d.version`
  }
})

/** What a backup of the time before the second close restores. */
const loseTail = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from log_entry where place >= 1`
  yield* sql`delete from checkpoint where size > 1`
  yield* sql`delete from document`
  const later = sql`select id from batch where day > '2026-09-02'`
  yield* sql`delete from leaf where batch in (${later})`
  yield* sql`delete from tree_level where batch in (${later})`
  yield* sql`update daily set sealed_by = null, readings_sha256 = null where sealed_by in (${later})`
  yield* sql`delete from batch where day > '2026-09-02'`
})

const eight = (day: number) => Date.UTC(2026, 8, day, 8)

onBothEngines("a log that lost its tail", (database) => {
  const services = DailyClose.layer.pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer)
  )
  const around = Runs.feeds.pipe(
    Layer.provideMerge(Layer.mergeAll(Blobs.layerTable, ArchiveFiles.layerTable)),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(eight(5))))),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )
  const process = <A, E, R>(heads: string, work: Effect.Effect<A, E, R | Layer.Success<typeof services>>) =>
    work.pipe(
      Effect.provide(services.pipe(Layer.provide(Layer.succeed(HeadMemory, headFiles(heads)))), {
        local: true
      })
    )

  layer(around)((it) => {
    it.effect("signs nothing until a mirror gives back what was signed, batches and documents too", () =>
      Effect.gen(function* () {
        const [heads, folder] = [yield* newFolder, yield* newFolder]
        const sql = yield* SqlClient.SqlClient
        const before = yield* process(
          heads,
          Effect.gen(function* () {
            const ingest = yield* Ingest
            for (const day of [2, 3, 4]) {
              yield* TestClock.setTime(eight(day))
              const reading = Runs.row(day, `2026-09-0${day}T07:00:00Z`)
              // On the last day the upstream tells one value of the day before anew: a revision, and its document.
              const again = day === 4 ? [Runs.row(13, "2026-09-03T07:00:00Z")] : []
              yield* ingest.write(Runs.delivery(eight(day), [...again, reading]))
              yield* TestClock.setTime(eight(day + 1))
              assert.lengthOf(yield* (yield* DailyClose).run, 1)
            }
            yield* mirrored(folder)
            return yield* published
          })
        )
        assert.isNotEmpty(before.documents)
        const { url } = yield* served(folder)
        for (const from of [url, folder]) {
          yield* loseTail
          yield* process(
            heads,
            Effect.gen(function* () {
              const log = yield* Log
              assert.match((yield* log.halted) ?? "", /log repair --from/)
              const changes = yield* Changes
              const [earlier] = yield* changes.read(["log"])
              assert.deepInclude(yield* repair(mirrorAt(from)), { size: before.entries.length, batches: 2 })
              assert.isUndefined(yield* log.halted)
              const [announced] = yield* changes.read(["log"])
              assert.isAbove(announced?.number ?? 0, earlier?.number ?? 0, "running services hear of it")
              assert.deepStrictEqual(yield* published, before)
              assert.deepStrictEqual(yield* (yield* DailyClose).run, [], "no day is closed twice")
              assert.deepInclude(yield* repair(mirrorAt(from)), { entries: 0, documents: 0, batches: 0 })
            })
          )
        }
        yield* sql`update log_entry set text = 'altered' where place = 0`
        yield* process(heads, repair(mirrorAt(folder)))
        assert.deepStrictEqual(yield* published, before)

        // A mirror that lacks something, or has another history, changes nothing.
        yield* loseTail
        const lost = yield* published
        const refused = (damage: (file: (path: string) => string) => void) =>
          Effect.gen(function* () {
            const copy = yield* newFolder
            yield* process(heads, Effect.void)
            const { cpSync } = yield* Effect.promise(() => import("node:fs"))
            cpSync(folder, copy, { recursive: true })
            damage((path) => join(copy, "v1/log", path))
            const { message } = yield* Effect.flip(process(heads, repair(mirrorAt(copy))))
            assert.deepStrictEqual(yield* published, lost)
            return message
          })
        const size = before.entries.length
        const change = (path: string, from: string | RegExp, to: string) =>
          refused((file) =>
            writeFileSync(file(path), readFileSync(file(path), "latin1").replace(from, to), "latin1")
          )
        assert.match(
          yield* change("checkpoint", `\n${size}\n`, "\n1\n"),
          new RegExp(
            `^the mirror has only 1 entries, and a head of ${size} was signed; .*restore a newer backup`
          )
        )
        assert.match(
          yield* change(entriesPath(0, size), '"late":false', '"late":true '),
          /^nothing was changed: The newest head in the database has another root .* than the mirror has.* restore a newer backup/
        )
        assert.match(
          yield* change("batches/2026-09-03/leaves", '"value":3,', '"value":4,'),
          /the mirror's leaves of 2026-09-03 do not give the root in the log/
        )
        assert.match(
          yield* refused((file) => rmSync(file("documents"), { recursive: true })),
          /^the mirror lacks documents\/.*restore a newer backup/
        )
        assert.match(
          yield* refused((file) => rmSync(file("checkpoint"))),
          /^the mirror lacks checkpoint; use another one/
        )
      })
    )
  })
})
