/** Files of the log that never change are written once, in every coding, and sent from the disk. */
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import * as Files from "../../core/log/record/files.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { makeCodedFiles } from "../../http/delivery/CodedFiles.ts"
import { CacheBytes } from "../../http/server.ts"
import * as Runs from "../support/runs.ts"
import { authority, manifest, Service } from "../support/service.ts"
import { header, signatureFault } from "../support/signed.ts"

const filesFolder = mkdtempSync(join(tmpdir(), "plumbline-files-"))
const ofDays = join(filesFolder, "batches/2026-09-03")

/** The files of the day that there are, without their hashes. */
const filesOfDay = () =>
  readdirSync(ofDays)
    .map((name) => name.replace(/[0-9a-f]{64}/, "*"))
    .sort()
/** The path of a form of the leaves. */
const formOf = (ending: string) =>
  join(
    ofDays,
    readdirSync(ofDays).find((name) => new RegExp(`^leaves\\.[0-9a-f]{64}${ending}$`).test(name)) ?? ""
  )

const manifests = [
  {
    ...manifest,
    metrics: Object.fromEntries(
      Array.from({ length: 2499 }, (_, n) => [`metric_${n}`, { unit: "count", meaning: "Made up." }] as const)
    )
  }
]
const services = Service.layer({ manifests, filesFolder }).pipe(Layer.provide(Layer.succeed(CacheBytes, 1)))

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
      assert.deepStrictEqual(filesOfDay(), ["leaves.*"])

      // Whatever becomes of the rows: the day is closed, and its file is there.
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table kept_leaf as select * from leaf`
      yield* sql`delete from leaf where place >= 1000`
      const [gzip, br] = yield* Effect.all([ask("gzip"), ask("br"), ask("br")], { concurrency: "unbounded" })
      assert.deepStrictEqual(filesOfDay(), ["leaves.*", "leaves.*.br", "leaves.*.gz"])
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

  it.effect("are sent in parts as they are, and confirmed by the tag of the coding", () =>
    Effect.gen(function* () {
      const { call, keys } = yield* Service
      const whole = yield* call({ path, headers: { "accept-encoding": "identity" } })
      assert.strictEqual(header(whole, "accept-ranges"), "bytes")
      const tag = header(whole, "etag")
      const part = yield* call({ path, headers: { range: "bytes=100-199", "if-range": tag } })
      assert.deepStrictEqual(
        [part.status, header(part, "content-range"), header(part, "etag")],
        [206, `bytes 100-199/${whole.body.length}`, tag]
      )
      assert.deepStrictEqual(part.body, whole.body.subarray(100, 200))
      const coded = yield* call({ path, headers: { range: "bytes=100-199", "accept-encoding": "br" } })
      assert.deepStrictEqual([coded.status, coded.body.length], [200, whole.body.length])
      assert.isUndefined(signatureFault(coded, keys, authority))
      assert.strictEqual(header(coded, "vary"), "Accept-Encoding, X-API-Key")
      const again = { "accept-encoding": "br", "if-none-match": header(coded, "etag") }
      assert.strictEqual((yield* call({ path, headers: again })).status, 304)
      const beyond = yield* call({ path, headers: { range: "bytes=999999999-" } })
      assert.deepStrictEqual([beyond.status, beyond.body.length], [200, whole.body.length])
    })
  )

  it.effect("are made again where the disk changed, cut or lost a form, and are kept over a start", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const sql = yield* SqlClient.SqlClient
      const ask = (coding: string) => call({ path, headers: { "accept-encoding": coding } })
      yield* sql`insert into leaf select * from kept_leaf where place >= 1000`
      const whole = (yield* ask("identity")).body
      for (const [coding, ending] of [
        ["identity", ""],
        ["br", "\\.br"],
        ["gzip", "\\.gz"]
      ] as const) {
        const before = readFileSync(formOf(ending))
        for (const damage of [
          Buffer.from(before).fill(7, 300, 301),
          before.subarray(0, -9),
          Buffer.concat([before, before]),
          undefined
        ]) {
          if (damage === undefined) rmSync(formOf(ending))
          else writeFileSync(formOf(ending), damage)
          const reply = yield* ask(coding)
          assert.strictEqual(reply.status, 200)
          assert.isTrue(reply.body.equals(whole), coding)
          assert.isTrue(readFileSync(formOf(ending)).equals(before), coding)
        }
      }
      // A form that is whole is not made again by the next process, which reads the file itself anew.
      const { ino } = statSync(formOf("\\.br"))
      const files = yield* makeCodedFiles(filesFolder)
      const opened = yield* Effect.scoped(
        files.open(
          "batches/2026-09-03/leaves",
          "br",
          Effect.succeed({ contentType: "", parts: Stream.make(whole) })
        )
      )
      assert.strictEqual(
        opened.form.sha256,
        createHash("sha256")
          .update(readFileSync(formOf("\\.br")))
          .digest("hex")
      )
      assert.strictEqual(statSync(formOf("\\.br")).ino, ino)
      assert.strictEqual((yield* call("/v1/log/batches/2026-01-04/leaves")).status, 404)
      assert.strictEqual((yield* call("/v1/log/batches/..%2F..%2F..%2Fx/leaves")).status, 404)
    })
  )

  it.effect("are sent from memory where the disk is of no use", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      rmSync(filesFolder, { recursive: true })
      writeFileSync(filesFolder, "no folder")
      const reply = yield* call(path)
      assert.deepStrictEqual([reply.status, String(reply.body).trim().split("\n").length], [200, 2500])
      rmSync(filesFolder)
      assert.strictEqual((yield* call(path)).status, 200)
      assert.deepStrictEqual(filesOfDay(), ["leaves.*"])
    })
  )

  it.effect("are for documents and lists of absences, too", () =>
    Effect.gen(function* () {
      const { call, keys } = yield* Service
      const sql = yield* SqlClient.SqlClient
      const body = JSON.stringify({ made: "up", list: Array.from({ length: 500 }, (_, n) => n) })
      const sha256 = createHash("sha256").update(body).digest("hex")
      yield* sql`insert into document ${sql.insert({ kind: "made-up", subject: "x", body, sha256, media_type: "text/plain", recorded_at: new Date(0) })}`
      const ask = (path: string) => call({ path, headers: { "accept-encoding": "br" } })
      const document = yield* ask(`/v1/log/documents/${sha256}`)
      assert.deepStrictEqual([String(document.body), header(document, "content-encoding")], [body, "br"])
      assert.strictEqual(header(document, "content-type"), "text/plain")
      assert.include(header(document, "cache-control"), "immutable")
      const absent = yield* ask("/v1/log/batches/2026-09-03/absent")
      assert.deepStrictEqual([absent.status, header(absent, "content-type")], [200, "application/json"])
      assert.sameMembers(readdirSync(filesFolder), ["batches", "documents"])
      // What is large in every coding is streamed in it.
      const large = randomBytes(6 * 2 ** 20).toString("base64")
      const hash = createHash("sha256").update(large).digest("hex")
      yield* sql`insert into document ${sql.insert({ kind: "made-up", subject: "z", body: large, sha256: hash, media_type: "text/plain", recorded_at: new Date(0) })}`
      for (const coding of ["br", "gzip", "identity"]) {
        const reply = yield* call({
          path: `/v1/log/documents/${hash}`,
          headers: { "accept-encoding": coding }
        })
        assert.strictEqual(reply.headers["content-encoding"] ?? "identity", coding)
        assert.isTrue(String(reply.body) === large, coding)
        assert.isUndefined(signatureFault(reply, keys, authority))
        const length = Number(header(reply, "content-length"))
        if (coding !== "identity") assert.isBelow(length, 0.9 * large.length)
        assert.match(
          header(reply, "etag"),
          new RegExp(coding === "identity" ? `"${hash}"` : `"${hash}-${coding}"`)
        )
      }
      // One that does not have its hash is evidence, which nobody keeps.
      yield* sql`insert into document ${sql.insert({ kind: "made-up", subject: "y", body: "other", sha256: "a".repeat(64), media_type: "text/plain", recorded_at: new Date(0) })}`
      const altered = yield* ask(`/v1/log/documents/${"a".repeat(64)}`)
      assert.deepStrictEqual([String(altered.body), header(altered, "cache-control")], ["other", "no-store"])
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
        rmSync(filesFolder, { recursive: true, force: true })
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
