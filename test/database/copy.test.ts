import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { copy } from "../../runtime/database/copy.ts"
import * as Databases from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const place = (database: typeof Databases.postgres) =>
  Layer.fresh(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable).pipe(Layer.provideMerge(database)))

/** Readings, a revision, an incident, a closed day and an odd number of everything. */
const filled = Effect.gen(function* () {
  const ingest = yield* Ingest
  yield* partitions.ensure(noon)
  const rows = Array.from({ length: 1500 }, (_, index) =>
    Runs.row(1000 + index / 7, isoTime(Date.UTC(2026, 8, 4) + index * 1001))
  )
  yield* ingest.write(
    Runs.delivery(noon, [
      ...rows,
      Runs.row(2 ** 70, "2026-09-04T09:00:00Z", { symbol: "STORJ", value_text: String(2n ** 70n + 1n) })
    ])
  )
  yield* ingest.write(Runs.delivery(noon, [Runs.row(1000.5, isoTime(Date.UTC(2026, 8, 4)))]))
  yield* (yield* Incidents).open(
    { symbol: "FIL", metric: "nodes_online", from: Date.UTC(2026, 8, 4), to: Date.UTC(2026, 8, 4) + 9000 },
    `it's "odd"\\ and\nlong`
  )
  yield* (yield* DailyClose).run
})

const working = DailyClose.layer.pipe(
  Layer.provideMerge(Log.layer),
  Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Layer.mergeAll(Runs.feeds, LogKeys.layer()))
)

describe("a copy of a database", () => {
  it.effect(
    "from PGlite to Postgres and back says the same, and the service goes on from it",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const first = yield* Layer.build(place(Databases.pglite))
        const second = yield* Layer.build(place(Databases.postgres))
        const third = yield* Layer.build(place(Databases.pglite))
        yield* filled.pipe(Effect.provide(Layer.fresh(working)), Effect.provideContext(first))

        const there = yield* copy(first, second)
        const back = yield* copy(second, third)
        assert.deepStrictEqual(back, there)
        assert.isNotNull(there.logRoot)
        assert.isAtLeast(there.tables.find(({ table }) => table === "observation_2026_09")?.rows ?? 0, 1502)

        // Bodies came along, and new numbers follow the old ones.
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [exchange] = yield* sql<{ sha256: string }>`select sha256 from exchange limit 1`
          assert.isTrue(Option.isSome(yield* (yield* Blobs).get(exchange?.sha256 ?? "")))
          yield* (yield* Ingest).write(
            Runs.delivery(noon, [
              Runs.row(5, "2026-09-05T09:00:00Z", { metric: "price_change_24h_pct", unit: "pct" })
            ])
          )
          yield* TestClock.adjust("24 hours")
          const [closed] = yield* (yield* DailyClose).run
          assert.strictEqual(closed?.day, "2026-09-05")
        }).pipe(Effect.provide(Layer.fresh(working)), Effect.provideContext(third))
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect("into a database that has rows is refused, and changes nothing there", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const first = yield* Layer.build(place(Databases.postgres))
      const second = yield* Layer.build(place(Databases.postgres))
      for (const each of [first, second]) {
        yield* filled.pipe(Effect.provide(Layer.fresh(working)), Effect.provideContext(each))
      }
      const error = yield* Effect.flip(copy(first, second))
      assert.match(error.message, /the target is not empty: its table \w+ has rows/)
    }).pipe(Effect.scoped)
  )

  it.effect("of a log that does not match its signed head is refused, and leaves nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const first = yield* Layer.build(place(Databases.postgres))
      const second = yield* Layer.build(place(Databases.postgres))
      yield* filled.pipe(Effect.provide(Layer.fresh(working)), Effect.provideContext(first))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update log_entry set text = text || ' '`
      }).pipe(Effect.provideContext(first))
      assert.match((yield* Effect.flip(copy(first, second))).message, /does not match its signed head/)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select count(*)::int as n from run`, [{ n: 0 }])
      }).pipe(Effect.provideContext(second))
    }).pipe(Effect.scoped)
  )
})
