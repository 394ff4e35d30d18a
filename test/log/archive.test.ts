import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { parquetMetadata, parquetReadObjects } from "hyparquet"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles, ArchiveUnavailable } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import type { Terms } from "../../core/plugin/Manifest.ts"
import {
  compactColumns,
  dayColumns,
  leafTextOf,
  metadataKey,
  parseStatement,
  rightsKey
} from "../../core/proof/archive.ts"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { leafHash, root, treeOf } from "../../core/proof/merkle.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import * as Archives from "../support/archive.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const length = 86_400_000
const at = (day: string, time = "12:00:00Z") => Date.parse(`${day}T${time}`)
const eightAfter = (day: string) => at(day) + length - 4 * 3_600_000

const fileRows = rowsOf({
  name: Schema.String,
  rows: Schema.Int,
  bytes: Schema.NumberFromString,
  sha256: Schema.String,
  log_index: Schema.Int
})

const terms: Terms = {
  read: "2026-08-01",
  licence: "CC-BY-4.0",
  show: "yes",
  bulk: "yes",
  sell: "yes",
  bodies: "yes",
  attribution: "Data: Example"
}

onBothEngines("the archive", (database) => {
  const services = (files: Layer.Layer<ArchiveFiles, never, SqlClient.SqlClient>) =>
    Archives.layer(files).pipe(
      Layer.provideMerge(DailyClose.layer),
      Layer.provideMerge(
        logged(
          database,
          at("2026-10-02"),
          Runs.feedsUnder(() => terms)
        )
      )
    )

  const published = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql`
      select name, rows, bytes::text, sha256, log_index from archive_file order by log_index`.pipe(fileRows)
  })
  /** What is published, as another program reads it. */
  const read = Effect.fnUntraced(function* (name: string) {
    const entry = (yield* published).find((one) => one.name === name)
    if (entry === undefined) return yield* Effect.die(`no ${name}`)
    const bytes = yield* Archives.bytesOf(name, entry.sha256, entry.bytes)
    const file = bytes.buffer
    const metadata = parquetMetadata(file)
    const statement = parseStatement(
      metadata.key_value_metadata?.find(({ key }) => key === metadataKey)?.value ?? ""
    )
    const rows = yield* Effect.promise(() => parquetReadObjects({ file, metadata }))
    return { ...entry, content: bytes, metadata, statement, rows }
  })
  const entries = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ text: string }>`select text from log_entry order by place`
    return rows.map(({ text }) => parseEntry(text))
  })
  const write = Effect.fnUntraced(function* (day: string, value: number, over: object = {}) {
    yield* TestClock.setTime(at(day))
    yield* (yield* Ingest).write(
      Runs.delivery(
        at(day),
        [
          Runs.row(value, `${day}T10:00:00Z`, over),
          Runs.row(value / 3, `${day}T10:00:00.250Z`, {
            symbol: "STORJ",
            value_text: `${value}.00000000000000000001`,
            ...over
          })
        ].map((row) => ("value_text" in row ? { ...row, value } : row))
      )
    )
  })
  const close = Effect.fnUntraced(function* (day: string) {
    yield* TestClock.setTime(eightAfter(day))
    return yield* (yield* DailyClose).run
  })
  const run = Effect.flatMap(Archive, (archive) => archive.run)

  for (const [where, files] of [
    ["a folder", Archives.inFolder],
    ["the database", ArchiveFiles.layerTable]
  ] as const) {
    layer(services(files))(`in ${where}`, (it) => {
      it.effect("has a file of each closed day whose rows hash to the batch that the log commits to", () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* run, [])
          yield* write("2026-09-28", 100)
          yield* close("2026-09-28")
          assert.deepStrictEqual(yield* run, ["daily/2026/09/28.parquet"])
          assert.deepStrictEqual(yield* run, [])
          const file = yield* read("daily/2026/09/28.parquet")
          assert.strictEqual(createHash("sha256").update(file.content).digest("hex"), file.sha256)
          assert.deepStrictEqual(
            file.metadata.schema.slice(1).map(({ name }) => name),
            dayColumns.map(({ name }) => name)
          )
          const { attribution, licence } = terms
          assert.deepStrictEqual(
            JSON.parse(file.metadata.key_value_metadata?.find(({ key }) => key === rightsKey)?.value ?? ""),
            { [Runs.manifest.source]: { attribution, licence } }
          )
          assert.deepStrictEqual(new Set(file.rows.map((row) => row["licence"])), new Set([licence]))
          const leaves = [...file.rows.map(leafTextOf), file.statement.absence ?? ""]
          for (const [n, text] of leaves.slice(0, -1).entries()) {
            parseLeaf(text)
            assert.strictEqual(toHex(leafHash(utf8(text))), toHex(file.rows[n]?.["leaf_hash"]))
          }
          const log = yield* entries
          const batch = log.find(isBatch)
          assert.strictEqual(toHex(root(treeOf(leaves.map(utf8)))), batch?.root)
          assert.strictEqual(file.rows.length, 2)
          assert.strictEqual(file.rows.length + 1, batch?.tree_size)
          const entry = log[file.log_index]
          assert.deepStrictEqual(entry, {
            v: "service-entry-v2",
            kind: "archive",
            sha256: file.sha256,
            subject: "daily/2026/09/28.parquet",
            recorded_at: "2026-09-29T08:00:00Z"
          })
        })
      )

      it.effect(
        "has a file of each month that is over, sorted by metric, with the files it was made of",
        () =>
          Effect.gen(function* () {
            yield* write("2026-09-29", 200)
            yield* close("2026-09-29")
            // Late for a day before: it is in the file of the day whose batch has it.
            yield* (yield* Ingest).write(
              Runs.delivery(eightAfter("2026-09-29"), [Runs.row(201, "2026-09-28T23:00:00Z")])
            )
            yield* write("2026-09-30", 300, { metric: "price_change_24h_pct", unit: "pct" })
            yield* close("2026-09-30")
            assert.deepStrictEqual(yield* run, [
              "daily/2026/09/29.parquet",
              "daily/2026/09/30.parquet",
              "monthly/2026/09.parquet"
            ])
            const file = yield* read("monthly/2026/09.parquet")
            assert.deepStrictEqual(
              file.metadata.schema.slice(1).map(({ name }) => name),
              compactColumns.map(({ name }) => name)
            )
            const days = yield* Effect.forEach(["28", "29", "30"], (day) =>
              read(`daily/2026/09/${day}.parquet`)
            )
            assert.deepStrictEqual(file.statement, {
              v: "service-archive-v1",
              period: "month",
              first_day: "2026-09-28",
              last_day: "2026-09-30",
              sources: days.map(({ name, sha256 }) => ({ name, sha256 }))
            })
            const key = (row: Record<string, unknown>) =>
              `${row["metric"]} ${row["symbol"]} ${(row["day"] as Date).toISOString().slice(0, 10)} ${row["version"]}`
            const names = file.rows.map(key)
            assert.deepStrictEqual(names, [...names].sort())
            const without = (row: Record<string, unknown>) =>
              Object.fromEntries(compactColumns.map(({ name }) => [name, row[name]]))
            assert.deepStrictEqual(
              new Map(file.rows.map((row) => [key(row), row])),
              new Map(days.flatMap(({ rows }) => rows.map((row) => [key(row), without(row)])))
            )
            assert.strictEqual(names.filter((name) => name === "nodes_online FIL 2026-09-28 2").length, 1)
          })
      )

      it.effect("finishes a file that a killed process stored, or logged, without publishing it twice", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const before = yield* published
          const size = (yield* entries).length
          // Stored, and not yet in the log.
          yield* sql`delete from archive_file where name = 'monthly/2026/09.parquet'`
          assert.deepStrictEqual(yield* run, ["monthly/2026/09.parquet"])
          assert.strictEqual((yield* entries).length, size)
          assert.deepStrictEqual(yield* published, before)
          const files = yield* ArchiveFiles
          assert.deepStrictEqual(
            [...(yield* files.list).values()].sort((a, b) => a - b),
            before.map(({ bytes }) => bytes).sort((a, b) => a - b)
          )
        })
      )

      it.effect("publishes a file once, whoever of two processes is first", () =>
        Effect.gen(function* () {
          yield* write("2026-10-01", 400)
          yield* close("2026-10-01")
          const size = (yield* entries).length
          const another = Effect.provide(
            run,
            Archive.layer.pipe(Layer.provide(Log.layer), Layer.provide(Archives.drafts)),
            {
              local: true
            }
          )
          yield* Effect.all([run, another], { concurrency: 2 })
          assert.strictEqual((yield* entries).length, size + 1)
          assert.deepStrictEqual(yield* run, [])
        })
      )

      it.effect("is not published again where the log has other bytes of that name", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const size = (yield* entries).length
          yield* sql`delete from archive_file where name = 'daily/2026/10/01.parquet'`
          yield* sql`update log_entry set text = replace(text, '"subject":"daily/2026/10/01.parquet"', '"subject":"daily/2026/10/01.parquet","x":1')
            where strpos(text, 'daily/2026/10/01.parquet') > 0`
          yield* sql`update log_entry set text = regexp_replace(text, '"sha256":"....', '"sha256":"0000') where strpos(text, '"x":1') > 0`
          const failed = yield* Effect.exit(run)
          assert.isTrue(
            Exit.isFailure(failed) && /the log has another daily/.test(Cause.pretty(failed.cause))
          )
          assert.strictEqual((yield* sql`select 1 from log_entry`).length, size)
        })
      )

      it.effect("says what it cannot read", () =>
        Effect.gen(function* () {
          const missing = Archives.bytesOf("daily/2026/01/01.parquet", "0".repeat(64), 10)
          assert.instanceOf(yield* Effect.flip(missing), ArchiveUnavailable)
        })
      )
    })
  }
})
