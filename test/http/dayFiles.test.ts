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
import { manifest, Service } from "../support/service.ts"
import { header } from "../support/signed.ts"

const spoolFolder = mkdtempSync(join(tmpdir(), "plumbline-days-"))

/** The files of days that there are. */
const filesOfDays = () =>
  readdirSync(spoolFolder)
    .filter((name) => name.startsWith("days-"))
    .flatMap((folder) => readdirSync(join(spoolFolder, folder)))
    .sort()

// Nothing is kept in memory, so each answer is from the file.
const manifests = [
  {
    ...manifest,
    metrics: Object.fromEntries(
      Array.from({ length: 2499 }, (_, n) => [`metric_${n}`, { unit: "count", meaning: "Made up." }] as const)
    )
  }
]
const services = Service.layer({ manifests, spoolFolder }).pipe(Layer.provide(Layer.succeed(CacheBytes, 1)))

layer(services)("the leaves of a closed day", (it) => {
  const path = "/v1/log/batches/2026-09-03/leaves"

  /** A closed day of 2,500 leaves, more than are read at a time. */
  const closed = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
    const rows = Array.from({ length: 2499 }, (_, n) =>
      Runs.row(n + 1, "2026-09-03T01:00:00Z", {
        symbol: "FIL",
        metric: `metric_${n}`,
        source: "made-up"
      })
    )
    yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 3, 8), rows, "made-up"))
    assert.lengthOf(yield* (yield* DailyClose).run, 1)
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
      yield* sql`create table kept_leaf as select * from leaf`
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
      const sql = yield* SqlClient.SqlClient
      rmSync(spoolFolder, { recursive: true })
      yield* sql`insert into leaf select * from kept_leaf where place >= 1000`
      const lines = Effect.map(call(path), ({ body, status }) => {
        assert.strictEqual(status, 200)
        return body.toString("utf8").trim().split("\n").length
      })
      assert.strictEqual(yield* lines, 2500)
      assert.isFalse(existsSync(spoolFolder))
      assert.strictEqual(yield* lines, 2500)
      assert.deepStrictEqual(filesOfDays(), ["2026-09-03.ndjson"])
      assert.strictEqual((yield* call("/v1/log/batches/2026-01-04/leaves")).status, 404)
    })
  )

  it.effect("are not sent unless they are those of the log, and come back with them", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const sql = yield* SqlClient.SqlClient
      const warned = Effect.map(
        call("/readyz"),
        ({ body }) => /archive_damaged.*?"\}/.exec(String(body))?.[0]
      )
      assert.isUndefined(yield* warned)
      const ways = [
        // Also where the hash was altered with the text, or a leaf is gone, or one more is there.
        sql`update leaf set text = replace(text, '"value":7,', '"value":8,') where place < 2500`,
        sql`update leaf set text = replace(text, '"value":7,', '"value":8,'), hash = sha256('\\x00'::bytea || convert_to(replace(text, '"value":7,', '"value":8,'), 'UTF8')) where strpos(text, '"value":7,') > 0`,
        sql`delete from leaf where place = 2400`,
        sql`delete from leaf where place = 1500`,
        sql`update log_entry set text = replace(text, '"tree_size":2500', '"tree_size":2501')`
      ]
      const entries = yield* sql`select place, text from log_entry`
      for (const alter of ways) {
        rmSync(spoolFolder, { recursive: true, force: true })
        yield* Effect.ignore(call(path))
        rmSync(spoolFolder, { recursive: true, force: true })
        yield* alter
        const refused = yield* call(path)
        assert.strictEqual(refused.status, 503)
        assert.match(String(refused.body), /leaves of 2026-09-03 are not those that the log commits to/)
        assert.strictEqual(header(refused, "cache-control"), "no-store")
        assert.include((yield* warned) ?? "", "/v1/log/batches/2026-09-03/leaves")
        yield* sql`delete from leaf`
        yield* sql`insert into leaf select * from kept_leaf`
        for (const { place, text } of entries)
          yield* sql`update log_entry set text = ${text} where place = ${place}`
        assert.strictEqual((yield* call(path)).status, 200)
        assert.isUndefined(yield* warned)
      }
    })
  )
})
