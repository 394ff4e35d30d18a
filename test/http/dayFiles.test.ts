/** The leaves of a closed day are written to a file once, in portions, and sent from it. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import * as Files from "../../core/log/read/files.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { CacheBytes } from "../../http/server.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { header } from "../support/signed.ts"

const spoolFolder = mkdtempSync(join(tmpdir(), "plumbline-days-"))

/** The files of days that there are. */
const filesOfDays = () =>
  readdirSync(spoolFolder)
    .filter((name) => name.startsWith("days-"))
    .flatMap((folder) => readdirSync(join(spoolFolder, folder)))
    .sort()

// Nothing is kept in memory, so each answer is from the file.
const services = Service.layer({ spoolFolder }).pipe(Layer.provide(Layer.succeed(CacheBytes, 1)))

layer(services)("the leaves of a closed day", (it) => {
  const path = "/v1/log/batches/2026-09-03/leaves"

  /** A closed day of 2,500 leaves, more than are read at a time. */
  const closed = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 8))
    const sql = yield* SqlClient.SqlClient
    const row = Runs.row(1, "2026-09-03T01:00:00Z", {
      symbol: "FIL",
      metric: "active_storage_providers",
      source: "made-up"
    })
    yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 3, 8), [row], "made-up"))
    yield* (yield* DailyClose).run
    yield* sql`
      insert into leaf (batch, place, day, incident, version, text, hash)
      select b.id, n, b.day, 0, 0, '{"place":' || n || '}',
        sha256('\\x00'::bytea || convert_to('{"place":' || n || '}', 'UTF8'))
      from batch b, generate_series(b.tree_size, 2499) n where b.day = '2026-09-03'`
    yield* sql`update batch set tree_size = 2500 where day = '2026-09-03'`
  })

  it.effect("are joined by the database, a thousand at a time", () =>
    Effect.gen(function* () {
      yield* closed
      const portions = yield* Stream.runCollect(yield* Files.leaves("2026-09-03"))
      assert.lengthOf(portions, 3)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ text: string }>`
        select text from leaf l join batch b on b.id = l.batch where b.day = '2026-09-03' order by place`
      assert.lengthOf(rows, 2500)
      assert.strictEqual([...portions].join(""), rows.map(({ text }) => `${text}\n`).join(""))
    })
  )

  it.effect("are sent in each coding from a file that is written once", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const ask = (coding: string) => call({ path, headers: { "accept-encoding": coding } })
      const plain = yield* ask("identity")
      assert.strictEqual(plain.status, 200)
      assert.strictEqual(header(plain, "content-type"), "application/x-ndjson")
      assert.include(header(plain, "cache-control"), "immutable")
      assert.strictEqual(plain.body.toString("utf8").trim().split("\n").length, 2500)
      assert.deepStrictEqual(filesOfDays(), ["2026-09-03.ndjson"])

      // Whatever becomes of the rows: the day is closed, and its file is there.
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from leaf where place >= 1000`
      const [gzip, br] = yield* Effect.all([ask("gzip"), ask("br"), ask("br")], { concurrency: "unbounded" })
      assert.deepStrictEqual(filesOfDays(), [
        "2026-09-03.ndjson",
        "2026-09-03.ndjson.br",
        "2026-09-03.ndjson.gzip"
      ])
      // The helper decodes the bodies.
      for (const [reply, coding] of [
        [gzip, "gzip"],
        [br, "br"]
      ] as const) {
        assert.strictEqual(header(reply, "content-encoding"), coding)
        assert.deepStrictEqual(reply.body, plain.body)
        assert.strictEqual(header(reply, "unencoded-digest"), header(plain, "unencoded-digest"))
        assert.isBelow(Number(header(reply, "content-length")), plain.body.length / 2)
      }
      const confirmed = yield* call({ path, headers: { "if-none-match": header(plain, "etag") } })
      assert.strictEqual(confirmed.status, 304)
    })
  )

  it.effect("are read from the database where the disk has lost the file, and written again", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      rmSync(spoolFolder, { recursive: true })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update batch set tree_size = 1000 where day = '2026-09-03'`
      const lines = Effect.map(call(path), ({ body, status }) => {
        assert.strictEqual(status, 200)
        return body.toString("utf8").trim().split("\n").length
      })
      assert.strictEqual(yield* lines, 1000)
      assert.isFalse(existsSync(spoolFolder))
      assert.strictEqual(yield* lines, 1000)
      assert.deepStrictEqual(filesOfDays(), ["2026-09-03.ndjson"])
      assert.strictEqual((yield* call("/v1/log/batches/2026-01-04/leaves")).status, 404)
      // A day that somebody damaged is shown as it is, and in no file that would stay.
      rmSync(spoolFolder, { recursive: true })
      assert.strictEqual(yield* lines, 1000)
      yield* sql`delete from leaf where place = 7`
      assert.strictEqual(yield* lines, 999)
      assert.isFalse(existsSync(spoolFolder))
      assert.strictEqual(header(yield* call(path), "cache-control"), "no-store")
    })
  )
})
