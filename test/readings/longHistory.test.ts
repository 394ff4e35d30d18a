/** The process that reads the archive: what it answers, and that the service goes on whatever becomes of it. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { FileMaker } from "../../core/log/archive/FileMaker.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { leafBytes, type RowLeaf } from "../../core/proof/leaf.ts"
import { leafHash } from "../../core/proof/merkle.ts"
import { LongHistory } from "../../core/readings/read/LongHistory.ts"
import * as folder from "../../runtime/archive/folder.ts"
import * as longHistory from "../../runtime/archive/longHistory.ts"
import * as parquetFiles from "../../runtime/archive/parquetFiles.ts"
import * as Archives from "../support/archive.ts"
import { postgres } from "../support/database.ts"

const place = Archives.temporary()
const hostile = `it's "odd"'); drop table series; --`
const leaf = (day: string, value: number): RowLeaf => ({
  v: "service-leaf-v2",
  kind: "reading",
  symbol: "FIL",
  metric: "nodes_online",
  source: hostile,
  unit: "count",
  day,
  as_of: `${day}T10:00:00Z`,
  value,
  n_observations: 1,
  readings_sha256: "0".repeat(64),
  verify_url: "https://stats.example.net",
  version: 1,
  recorded_at: `${day}T10:00:01Z`
})

const services = Layer.merge(folder.layer(place), parquetFiles.layer(join(place, "drafts"))).pipe(
  Layer.provideMerge(postgres)
)

layer(services)("a long history", (it) => {
  const reads = (ceiling: number) =>
    Effect.map(Layer.build(longHistory.layer({ ceiling, folder: place })), (built) =>
      Context.get(built, LongHistory)
    )
  const series = [{ id: 7, symbol: "FIL", metric: "nodes_online", source: hostile }]
  const window = { from: Date.parse("2026-01-01"), to: Date.parse("2026-12-31") }
  const values = (of: Effect.Success<ReturnType<typeof reads>>) =>
    Effect.map(
      of?.columns(series, window) ?? Effect.succeed(undefined),
      (columns) => columns?.content.get(7)?.values
    )

  it.effect(
    "is read from the files, whatever its names are",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const leaves = ["2026-09-01", "2026-09-02"].map((day, n) => {
          const bytes = leafBytes(leaf(day, n + 0.5))
          return { text: Buffer.from(bytes).toString(), hash: leafHash(utf8(Buffer.from(bytes).toString())) }
        })
        const draft = yield* (yield* FileMaker).make(
          {
            statement: {
              v: "service-archive-v1",
              period: "month",
              first_day: "2026-09-01",
              last_day: "2026-09-30",
              sources: []
            },
            pages: Stream.make(leaves)
          },
          null
        )
        const name = "monthly/2026/09.parquet"
        yield* (yield* ArchiveFiles).put(keyOf(name, draft.sha256), draft)
        yield* sql`insert into batch (day, cut_off, claimed_by, claimed_until) values ('2026-09-30', now(), 'test', now())`
        yield* sql`insert into archive_file (name, period, first_day, last_day, last_batch, rows, bytes, sha256, log_index, recorded_at)
        select ${name}, 'month', '2026-09-01', '2026-09-30', id, 2, ${draft.bytes}, ${draft.sha256}, 0, now() from batch`
        const of = yield* reads(512)
        assert.deepStrictEqual(yield* values(of), [0.5, 1.5])
        const rows = yield* of?.rows(series, window) ?? Effect.succeed(undefined)
        assert.deepStrictEqual(
          rows?.content.map(({ date, series, value, version }) => [date, series, value, version]),
          [
            ["2026-09-01", 7, 0.5, 1],
            ["2026-09-02", 7, 1.5, 1]
          ]
        )
      }),
    60_000
  )

  it.effect(
    "is read again after a question that nobody waited for",
    () =>
      Effect.gen(function* () {
        const of = yield* reads(512)
        const fiber = yield* Effect.forkChild(values(of))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* values(of), [0.5, 1.5])
      }),
    60_000
  )

  it.effect(
    "is left to SQL where days of an earlier log are asked for, which no file has",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const of = yield* reads(512)
        yield* sql`insert into earlier_log ${sql.insert({
          origin: "log.example.net/earlier",
          format: 1,
          size: 1,
          root: "",
          note: "",
          last_day: "2026-08-31",
          restarted_at: new Date(0)
        })}`
        const later = { ...window, from: Date.parse("2026-09-01") }
        assert.isDefined(yield* of?.rows(series, later) ?? Effect.succeed(undefined))
        assert.isUndefined(yield* values(of))
        assert.isUndefined(yield* of?.rows(series, window) ?? Effect.succeed(undefined))
        yield* sql`delete from earlier_log`
      }),
    60_000
  )

  it.effect(
    "is left to SQL where the process outgrows its ceiling, is not wanted, or a file is away or damaged",
    () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* values(yield* reads(16)))
        assert.isUndefined(yield* reads(0))
        const of = yield* reads(512)
        const folder = join(place, "monthly/2026")
        const [name = ""] = readdirSync(folder)
        const whole = readFileSync(join(folder, name))
        // A value in place of another, in a file of the same length.
        writeFileSync(join(folder, name), Buffer.from(whole).fill(1, 10, 11))
        assert.isUndefined(yield* values(of))
        writeFileSync(join(folder, name), whole)
        assert.deepStrictEqual(yield* values(of), [0.5, 1.5])
        rmSync(join(place, "monthly"), { recursive: true })
        assert.isUndefined(yield* values(of))
      }),
    60_000
  )
})
