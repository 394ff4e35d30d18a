/** The archive over HTTP, to the byte. */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { asyncBufferFromUrl, parquetReadObjects } from "hyparquet"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { dayColumns } from "../../core/proof/archive.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { AccountTier } from "../../core/wire/credits/tiers.ts"
import { ArchiveIndex } from "../../core/wire/log/archive.ts"
import * as Archives from "../support/archive.ts"
import * as ArchiveCheck from "../support/archiveCheck.ts"
import { missing } from "../support/programs.ts"
import * as Runs from "../support/runs.ts"
import { authority, baseUrl, Service } from "../support/service.ts"
import { json, type Keys, type Reply, signatureFault } from "../support/signed.ts"

const day = 86_400_000
const days = ["2026-08-07", "2026-09-01", "2026-09-02"]

const services = Archive.layer.pipe(
  Layer.provide(Archives.drafts),
  Layer.provideMerge(Service.layer({ manifests: [Runs.manifest] }))
)

/** Closes each day from the first on, and archives it. */
const filled = Effect.gen(function* () {
  yield* partitions.ensure(Date.parse("2026-09-03"))
  for (let at = Date.parse(days[0] ?? ""); at <= Date.parse(days[2] ?? ""); at += day) {
    const date = new Date(at).toISOString().slice(0, 10)
    yield* TestClock.setTime(at + day / 2)
    yield* (yield* Ingest).write(Runs.delivery(at + day / 2, [Runs.row(at / day, `${date}T10:00:00Z`)]))
    yield* TestClock.setTime(at + 32 * 3_600_000)
    yield* (yield* DailyClose).run
  }
  yield* (yield* Archive).run
})

const duckdbTypes = {
  boolean: "BOOLEAN",
  date: "DATE",
  double: "DOUBLE",
  hash: "BLOB",
  integer: "INTEGER",
  text: "VARCHAR",
  time: "TIMESTAMP"
} as const

const verified = (reply: Reply, keys: Keys) => signatureFault(reply, keys, authority) === undefined

const late = "/v1/archive/daily/2026/09/02.parquet"

const indexOf = Schema.decodeUnknownSync(ArchiveIndex)

layer(services)("the archive over HTTP", (it) => {
  const called = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    Effect.flatMap(Service, ({ call }) => call({ path, headers, method }))
  const index = Effect.map(called("/v1/archive/"), (reply) => indexOf(json(reply)))

  it.effect(
    "has a signed index of every file, and the sums of them",
    () =>
      Effect.gen(function* () {
        yield* filled
        const { call, keys } = yield* Service
        const reply = yield* call("/v1/archive/")
        assert.isTrue(verified(reply, keys))
        const { catalogs, files, keyless_days, schemas } = indexOf(json(reply))
        for (const path of [
          `${catalogs.iceberg}/metadata/version-hint.text`,
          catalogs.duckdb,
          catalogs.croissant
        ])
          assert.strictEqual((yield* call(path)).status, 200, path)
        assert.strictEqual(files.length, 28)
        assert.strictEqual(keyless_days, 30)
        assert.deepStrictEqual(
          schemas.day.slice(-2).map(({ name }) => name),
          ["leaf_hash", "licence"]
        )
        assert.deepStrictEqual(
          files.slice(0, 3).map(({ name }) => name),
          ["daily/2026/09/02.parquet", "daily/2026/09/01.parquet", "monthly/2026/08.parquet"]
        )
        const sums = (yield* call("/v1/archive/SHA256SUMS")).body.toString()
        assert.include(sums, `${files[0]?.sha256}  daily/2026/09/02.parquet\n`)
        assert.strictEqual(sums.split("\n").length, 29)
      }),
    60_000
  )

  it.effect("sends a file whole, signed, to be cached permanently", () =>
    Effect.gen(function* () {
      const { keys } = yield* Service
      const [file] = (yield* index).files
      if (file === undefined) return yield* Effect.die("no file")
      const reply = yield* called(late)
      assert.strictEqual(reply.status, 200)
      assert.isTrue(verified(reply, keys))
      assert.strictEqual(createHash("sha256").update(reply.body).digest("hex"), file.sha256)
      assert.strictEqual(reply.headers["etag"], `"${file.sha256}"`)
      assert.strictEqual(reply.headers["accept-ranges"], "bytes")
      assert.strictEqual(reply.headers["content-length"], String(file.bytes))
      assert.strictEqual(reply.headers["cache-control"], "public, max-age=31536000, immutable")
      const head = yield* called(late, { range: "bytes=0-3" }, "HEAD")
      assert.deepStrictEqual(
        [head.status, head.body.length, head.headers["content-length"]],
        [200, 0, String(file.bytes)]
      )
      const notModified = yield* called(late, { "if-none-match": `"${file.sha256}"`, range: "bytes=0-3" })
      assert.deepStrictEqual([notModified.status, notModified.body.length], [304, 0])
    })
  )

  it.effect("sends the part that is asked for", () =>
    Effect.gen(function* () {
      const whole = (yield* called(late)).body
      const size = whole.length
      const tag = `"${createHash("sha256").update(whole).digest("hex")}"`
      for (const [range, from, to] of [
        ["bytes=0-3", 0, 4],
        ["bytes=4-4", 4, 5],
        ["bytes=-8", size - 8, size],
        [`bytes=${size - 4}-`, size - 4, size],
        [`bytes=10-${size * 2}`, 10, size],
        [`bytes=-${size * 2}`, 0, size]
      ] as const) {
        for (const condition of [{}, { "if-range": tag }]) {
          const part = yield* called(late, { range, ...condition })
          assert.strictEqual(part.status, 206, range)
          assert.strictEqual(part.headers["content-range"], `bytes ${from}-${to - 1}/${size}`)
          assert.strictEqual(part.headers["etag"], tag)
          assert.deepStrictEqual(part.body, whole.subarray(from, to))
          assert.isUndefined(part.headers["x-service-signature"])
        }
      }
    })
  )

  it.effect("sends it whole where the range is of another file, or is not one that it knows", () =>
    Effect.gen(function* () {
      const whole = (yield* called(late)).body
      const ways: ReadonlyArray<Record<string, string>> = [
        { range: "bytes=0-3", "if-range": `"${"0".repeat(64)}"` },
        { range: "bytes=0-3", "if-range": "Wed, 21 Oct 2026 07:28:00 GMT" },
        { range: "bytes=0-3,8-9" },
        { range: "bytes=9-3" },
        { range: "bytes=-" },
        { range: "rows=0-3" }
      ]
      for (const headers of ways) {
        const reply = yield* called(late, headers)
        assert.deepStrictEqual([reply.status, reply.body], [200, whole], JSON.stringify(headers))
      }
    })
  )

  it.effect("says how long the file is where it has no such part", () =>
    Effect.gen(function* () {
      const { keys } = yield* Service
      const size = (yield* called(late)).body.length
      for (const range of [`bytes=${size}-`, `bytes=${"9".repeat(30)}-`, "bytes=-0"]) {
        const reply = yield* called(late, { range })
        assert.strictEqual(reply.status, 416, range)
        assert.strictEqual(reply.headers["content-range"], `bytes */${size}`)
        assert.strictEqual(json(reply).size, size)
        assert.isTrue(verified(reply, keys))
      }
    })
  )

  it.effect("gives older files of months to keys with the depth, and says which that are", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { api_key } = yield* accounts.register({}, "192.0.2.1")
      const { id } = yield* accounts.authenticate(Redacted.make(api_key))
      yield* TestClock.setTime(Date.parse("2026-09-09T12:00:00Z"))
      for (const [path, status] of [
        ["/v1/archive/daily/2026/08/10.parquet", 200],
        ["/v1/archive/monthly/2026/08.parquet", 402]
      ] as const) {
        assert.strictEqual((yield* called(path)).status, status, path)
        assert.strictEqual((yield* called(path, { "x-api-key": api_key })).status, status, path)
      }
      const refused = json(yield* called("/v1/archive/monthly/2026/08.parquet", { range: "bytes=0-3" }))
      assert.strictEqual(refused.error, "history_too_deep")
      assert.strictEqual(refused.available_from, "2026-08-11")
      assert.deepStrictEqual(refused.tiers, ["Institutional", "Pro", "Enterprise"])
      const old = called("/v1/archive/monthly/2026/08.parquet", { "x-api-key": api_key })
      for (const tier of AccountTier.literals) {
        yield* accounts.setTier(id, tier)
        const isDeep = ["institutional", "pro", "enterprise"].includes(tier)
        assert.strictEqual((yield* old).status, isDeep ? 200 : 402, tier)
      }
      const reply = yield* old
      assert.strictEqual(reply.headers["cache-control"], "private, max-age=31536000, immutable")
    })
  )

  it.effect("is read by ranges by another program", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const rows = yield* Effect.promise(async () => {
        const file = await asyncBufferFromUrl({ url: `http://127.0.0.1:${port}${late}` })
        return parquetReadObjects({ file, columns: ["symbol", "value"] })
      })
      assert.deepStrictEqual(rows, [{ symbol: "FIL", value: Date.parse("2026-09-02") / day }])
    })
  )

  it.effect("is read by DuckDB as the README says", () =>
    Effect.gen(function* () {
      const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
      const [, line = "", address = ""] = /duckdb -c "(select .*? from '(.*?)'.*)"/.exec(readme) ?? []
      assert.match(address, /\/v1\/archive\/daily\/\d{4}\/\d{2}\/\d{2}\.parquet$/)
      // Without httpfs, which is an extension: the file is downloaded first.
      const path = join(Archives.temporary(), "day.parquet")
      writeFileSync(path, (yield* called(late)).body)
      const sql = line.replace(address, path).replace("price_usd", "nodes_online")
      const { rows, types } = yield* Effect.promise(async () => {
        const duckdb = await (await DuckDBInstance.create()).connect()
        const types = await duckdb.runAndReadAll(`describe select * from '${path}'`)
        return { rows: (await duckdb.runAndReadAll(sql)).getRows(), types: types.getRows() }
      })
      assert.deepStrictEqual(rows, [["FIL", "nodes_online", Date.parse("2026-09-02") / day, "count"]])
      assert.deepStrictEqual(
        types.map(([name, type]) => `${name} ${type}`),
        dayColumns.map(({ name, type }) => `${name} ${duckdbTypes[type]}`)
      )
    })
  )

  it.effect("is views of DuckDB, none of which has a day twice", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-09-03T08:00:00Z"))
      const reply = yield* called("/v1/archive/duckdb.sql")
      assert.strictEqual(reply.status, 200)
      const { files } = yield* index
      const folder = Archives.temporary()
      for (const { name } of files) {
        const path = join(folder, name)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, (yield* called(`/v1/archive/${name}`)).body)
      }
      // Without httpfs, which is an extension: the files are downloaded first.
      const script = reply.body
        .toString()
        .replaceAll(`${baseUrl}/v1/archive/`, `${folder}/`)
        .replace(/^install httpfs;\nload httpfs;$/m, "")
      const answers = yield* Effect.promise(async () => {
        const duckdb = await (await DuckDBInstance.create()).connect()
        await duckdb.run(script)
        const requested: Array<unknown> = []
        for (const sql of [
          "select count(*), count(distinct day), count(leaf_hash) from leaves",
          "select count(*), count(distinct day), min(day)::text, max(day)::text from compact()",
          "select count(*), count(distinct day) from days",
          "select count(*) from (select columns(c -> c not in ('readings_sha256', 'follows', 'leaf_hash')) from leaves except select * from compact())",
          "select symbol, metric, value from days where day = date '2026-09-02'"
        ]) {
          requested.push(...(await duckdb.runAndReadAll(sql)).getRowsJson())
        }
        return requested
      })
      assert.lengthOf(files, 28)
      assert.deepStrictEqual(answers, [
        ["27", "27", "27"],
        ["27", "27", "2026-08-07", "2026-09-02"],
        ["27", "27"],
        ["0"],
        ["FIL", "nodes_online", Date.parse("2026-09-02") / day]
      ])
      // The month is asked for in place of its days.
      assert.strictEqual(script.split("macro compact()")[1]?.match(/[.]parquet/g)?.length, 3)
      // Once it begins too long ago to be read without a key, it is read by its days, and what a key would read is a comment.
      yield* TestClock.setTime(Date.parse("2026-09-08T08:00:00Z"))
      const old = (yield* called("/v1/archive/duckdb.sql")).body.toString()
      const [, compact = "", all = ""] = old.split("create or replace macro compact")
      assert.strictEqual(compact.match(/[.]parquet/g)?.length, 27)
      assert.strictEqual(all.match(/^-- .*[.]parquet/gm)?.length, 3)
      for (const [, name] of old.replaceAll(/^--.*$/gm, "").matchAll(/((?:daily|monthly)[^']*)'/g))
        assert.strictEqual((yield* called(`/v1/archive/${name}`)).status, 200, name)
      yield* TestClock.setTime(Date.parse("2026-09-03T08:00:00Z"))
    })
  )

  it.effect("has the one source of a day that is served, where two report", () =>
    Effect.gen(function* () {
      const { files } = yield* index
      const { body } = yield* called("/v1/archive/duckdb.sql")
      const [view = ""] = /with accepted as[\s\S]*?;/.exec(body.toString()) ?? []
      const answers = yield* Effect.promise(async () => {
        const duckdb = await (await DuckDBInstance.create()).connect()
        const leaf = (symbol: string, metric: string, source: string, value: number, hour: number) =>
          `('${symbol}', '${metric}', '${source}', date '2026-09-02', ${value}, 1, null, 1, timestamp '2026-09-02 0${hour}:00:00', 'r', 'f', 'h')`
        await duckdb.run(
          `create table leaves as select * from (values ${[
            leaf("FIL", "nodes_online", "older", 1, 1),
            leaf("FIL", "nodes_online", "newer", 2, 2),
            leaf("AKT", "nodes_online", "b", 3, 1),
            leaf("AKT", "nodes_online", "a", 4, 1)
          ].join(
            ", "
          )}) as t(symbol, metric, source, day, value, version, excluded_by, n_observations, as_of, readings_sha256, follows, leaf_hash)`
        )
        return (
          await duckdb.runAndReadAll(`select symbol, source, value from (${view.slice(0, -1)}) order by all`)
        ).getRowsJson()
      })
      assert.lengthOf(files, 28)
      assert.deepStrictEqual(answers, [
        ["AKT", "a", 4],
        ["FIL", "newer", 2]
      ])
    })
  )

  it.effect.skipIf(missing("python", "openssl"))(
    "is what the log commits to, as DuckDB and a program in Python find",
    () =>
      Effect.gen(function* () {
        const { port } = yield* Service
        const { body } = yield* called("/.well-known/service-signing-key.json")
        const [, vkey = ""] = /"vkey":"([^"]+)"/.exec(body.toString()) ?? []
        const folder = Archives.temporary()
        const names = yield* Effect.promise(() =>
          ArchiveCheck.fetchFiles(`http://127.0.0.1:${port}`, folder, vkey)
        )
        assert.includeMembers([...names], ["daily/2026/09/02.parquet", "daily/2026/09/01.parquet"])
        const lines = yield* Effect.promise(() => ArchiveCheck.checkFiles(folder, names))
        assert.includeMembers([...lines], ["2026-09-02: 1 rows under the root of the log"])
        assert.lengthOf(lines, names.filter((name) => name.startsWith("daily/")).length)
        // One digit of one value, in an archive that says otherwise of itself.
        const path = join(folder, "daily/2026/09/02.json")
        const text = readFileSync(path, "utf8")
        writeFileSync(
          path,
          text.replace(/"value":(\d)/, (_, digit) => `"value":${(Number(digit) % 9) + 1}`)
        )
        const refused = yield* Effect.promise(() =>
          ArchiveCheck.compareDays(folder).then(
            () => "it holds",
            (error: Error) => error.message
          )
        )
        assert.include(refused, "AssertionError")
      }),
    60_000
  )

  it.effect("has no file that is not published, and answers with a problem where one is away", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const path of ["daily/2026/09/03.parquet", "daily/2026/9/2.parquet", "yearly/2026.parquet"]) {
        assert.strictEqual((yield* called(`/v1/archive/${path}`)).status, 404, path)
      }
      // A byte that is not the published one is never sent under the digest of the whole file, nor is a part of it.
      yield* sql`update archive_part set bytes = set_byte(bytes, 100, 255 - get_byte(bytes, 100))
        where key like 'daily/2026/09/01.%'`
      for (const headers of [{}, { range: "bytes=0-9" }]) {
        const damaged = yield* called("/v1/archive/daily/2026/09/01.parquet", headers)
        assert.deepStrictEqual([damaged.status, json(damaged).error], [503, "unavailable"])
      }
      const ready = json(yield* called("/readyz"))
      assert.include(JSON.stringify(ready.warnings), "archive_damaged")
      assert.include(JSON.stringify(ready.warnings), "daily/2026/09/01.parquet")
      yield* sql`delete from archive_part where key like 'daily/2026/09/02.%'`
      const reply = yield* called(late)
      assert.deepStrictEqual([reply.status, json(reply).error], [503, "unavailable"])
    })
  )
})
