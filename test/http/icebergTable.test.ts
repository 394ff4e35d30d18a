/** The files of the archive's table over HTTP. What another program reads of them is in `test/counterparties/iceberg.test.ts`. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Archive } from "../../core/log/archive/Archive.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { tableDays } from "../../core/log/iceberg/days.ts"
import { newestFiles } from "../../core/log/iceberg/files.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import * as Archives from "../support/archive.ts"
import * as Runs from "../support/runs.ts"
import { authority, baseUrl, Service } from "../support/service.ts"
import { json, signatureFault } from "../support/signed.ts"

const length = 86_400_000
const days = ["2026-08-30", "2026-08-31", "2026-09-01"]
const root = "/v1/archive/iceberg/metadata"

interface Metadata {
  readonly location: string
  readonly snapshots: ReadonlyArray<{
    readonly summary: Readonly<Record<string, string>>
    readonly "timestamp-ms"?: number
  }>
}

interface Attestations {
  readonly attestations: ReadonlyArray<{ readonly day: string; readonly closed_at: string }>
}

const services = Archive.layer.pipe(
  Layer.provide(Archives.drafts),
  Layer.provideMerge(Service.layer({ manifests: [Runs.manifest] }))
)

const close = Effect.fnUntraced(function* (date: string) {
  const at = Date.parse(date)
  yield* TestClock.setTime(at + length / 2)
  yield* (yield* Ingest).write(Runs.delivery(at + length / 2, [Runs.row(at / length, `${date}T10:00:00Z`)]))
  yield* TestClock.setTime(at + 32 * 3_600_000)
  yield* (yield* DailyClose).run
})

const called = (name: string, headers: Record<string, string> = {}, method = "GET") =>
  Effect.flatMap(Service, ({ call }) => call({ path: `${root}/${name}`, headers, method }))

layer(services)("the archive's table over HTTP", (it) => {
  it.effect(
    "is served, signed, as files of which only the hint changes",
    () =>
      Effect.gen(function* () {
        yield* partitions.ensure(Date.parse("2026-09-04"))
        assert.strictEqual((yield* called("version-hint.text")).status, 404)
        const { call } = yield* Service
        const folder = "/v1/archive/iceberg"
        assert.strictEqual((yield* call(folder)).status, 404)
        for (const date of days) yield* close(date)
        yield* (yield* Archive).run
        const { keys } = yield* Service
        const hint = yield* called("version-hint.text")
        assert.deepStrictEqual(
          [hint.body.toString(), hint.headers["cache-control"], hint.headers["content-type"]],
          ["3", "no-cache", "text/plain; charset=utf-8"]
        )
        const { fixed } = newestFiles(baseUrl, yield* tableDays) ?? { fixed: [] }
        assert.deepStrictEqual(fixed.map(({ name }) => name).sort(), [
          "days-1-1.avro",
          "days-1-2.avro",
          "days-2-2.avro",
          "days-3-3.avro",
          "snap-1.avro",
          "snap-2.avro",
          "snap-3.avro",
          "v3.metadata.json"
        ])
        const index = yield* call(folder)
        assert.isUndefined(signatureFault(index, keys, authority))
        const { files, ...table } = json(index)
        assert.deepStrictEqual(table, {
          location: `${baseUrl}${folder}`,
          version: 3,
          first_day: days[0],
          last_day: days[2]
        })
        assert.sameMembers(files as Array<string>, [
          ...fixed.map(({ name }) => `metadata/${name}`),
          "metadata/version-hint.text"
        ])
        for (const { content, contentType, name } of fixed) {
          const reply = yield* called(name, { "accept-encoding": "identity" })
          assert.strictEqual(reply.status, 200, name)
          assert.isUndefined(signatureFault(reply, keys, authority))
          assert.deepStrictEqual(reply.body, Buffer.from(content()), name)
          assert.strictEqual(reply.headers["content-type"], contentType)
          assert.strictEqual(reply.headers["cache-control"], "public, max-age=31536000, immutable")
          const tag = reply.headers["etag"] ?? ""
          assert.include(tag, createHash("sha256").update(reply.body).digest("hex"))
          const head = yield* called(name, { "accept-encoding": "identity" }, "HEAD")
          assert.deepStrictEqual(
            [head.status, head.body.length, head.headers["content-length"]],
            [200, 0, String(reply.body.length)]
          )
          const part = yield* called(name, { "accept-encoding": "identity", range: "bytes=1-4" })
          assert.deepStrictEqual([part.status, part.body], [206, reply.body.subarray(1, 5)])
          assert.strictEqual((yield* called(name, { "if-none-match": tag })).status, 304)
        }
        for (const name of [
          "v0.metadata.json",
          "v4.metadata.json",
          "snap-4.avro",
          "days-1-3.avro",
          "days-2-3.avro",
          "v3"
        ])
          assert.strictEqual((yield* called(name)).status, 404, name)
      }),
    60_000
  )

  it.effect(
    "names the file of each day with the hash that the log has, and the time from which it was known",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const metadata = json(yield* called("v3.metadata.json")) as unknown as Metadata
        assert.strictEqual(metadata.location, `${baseUrl}/v1/archive/iceberg`)
        const { attestations } = json(yield* call("/v1/attestations")) as unknown as Attestations
        for (const [n, date] of days.entries()) {
          const { summary, "timestamp-ms": at } = metadata.snapshots[n] ?? { summary: {} }
          const file = yield* call(`/v1/archive/${summary["plumbline.file"]}`)
          assert.strictEqual(file.headers["etag"], `"${summary["plumbline.sha256"]}"`)
          assert.strictEqual(summary["plumbline.day"], date)
          const batch = attestations.find(({ day }) => day === date)
          assert.strictEqual(at, Date.parse(batch?.closed_at ?? ""), date)
        }
      })
  )

  it.effect("ends before a file whose bounds cannot be read, and goes on once it was made again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update archive_file set bounds = null where name = 'daily/2026/08/31.parquet'`
      yield* sql`update archive_part set bytes = set_byte(bytes, 100, 255 - get_byte(bytes, 100))
        where key like 'daily/2026/08/31.%'`
      assert.strictEqual((yield* called("version-hint.text")).body.toString(), "1")
      yield* (yield* Archive).run
      assert.strictEqual((yield* called("version-hint.text")).body.toString(), "1")
      yield* (yield* Archive).run
      assert.strictEqual((yield* called("version-hint.text")).body.toString(), "3")
    })
  )
})
