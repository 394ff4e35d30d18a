/** A running service whose database is altered behind its back: what the monitor, the operator's check and the service find. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { checkLog } from "../../core/log/check/checkLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { CacheBytes } from "../../http/server.ts"
import { onBothEngines } from "../support/database.ts"
import { monitorOnce } from "../support/monitorOnce.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { clearRecentDays } from "../support/views.ts"

const at = (day: number, hour = 8) => Date.UTC(2026, 8, day, hour)

const reading = (symbol: string, day: string, hour: number, value: number) =>
  Runs.row(value, `2026-09-${day}T0${hour}:00:00Z`, {
    symbol,
    metric: "active_storage_providers",
    source: "made-up"
  })

const day = (name: string, value: number) => [
  reading("FIL", name, 1, value),
  reading("FIL", name, 2, value + 1),
  reading("GEOD", name, 1, value + 7)
]

interface Tampering {
  readonly alter: string
  readonly undo: string
  /** What each finder must name. */
  readonly check: string | undefined
  readonly monitor: string | undefined
}

const byChance = "by chance"

const tamperings: Readonly<Record<string, Tampering>> = {
  nothing: { alter: "select 1", undo: "select 1", check: undefined, monitor: undefined },
  "a daily row": {
    alter: "update daily set value = value + 1000 where day = '2026-09-04'",
    undo: "update daily set value = value - 1000 where day = '2026-09-04'",
    check: "daily row",
    // What differs from its leaf is not served.
    monitor: undefined
  },
  "the text of an entry": {
    alter: `update log_entry set text = replace(text, '"late":', '"Late":') where place = 1`,
    undo: `update log_entry set text = replace(text, '"Late":', '"late":') where place = 1`,
    check: "entry",
    monitor: "entry"
  },
  "a deleted leaf": {
    alter:
      "with gone as (delete from leaf where place = 0 returning *) insert into kept_leaf select * from gone",
    undo: "with back as (delete from kept_leaf returning *) insert into leaf select * from back",
    check: "leaf",
    // The file of the day is served as it was sealed. Whether a proof of this very leaf is asked for is chance.
    monitor: byChance
  },
  "deleted observations": {
    alter:
      "with gone as (delete from observation where as_of = '2026-09-04T01:00:00Z' returning *) insert into kept_observation select * from gone",
    undo: "with back as (delete from kept_observation returning *) insert into observation select * from back",
    check: "observations",
    // Readings are not published one by one.
    monitor: undefined
  },
  "a document": {
    alter: "update document set body = body || ' '",
    undo: "update document set body = rtrim(body)",
    check: "document",
    // It is served as it was sealed, from its file.
    monitor: undefined
  },
  "a latest row": {
    alter: "update latest set value = value + 1",
    undo: "update latest set value = value - 1",
    check: "latest row",
    // It is of a day that is not closed yet.
    monitor: undefined
  }
}

onBothEngines("a database altered behind the service's back", (database) => {
  // Without ready answers, as after a restart: what was made before is still what was true.
  layer(Service.layer({ database }).pipe(Layer.provide(Layer.succeed(CacheBytes, 1))))((it) => {
    const prepared = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ingest = yield* Ingest
      const close = yield* DailyClose
      yield* TestClock.setTime(at(4))
      yield* ingest.write(Runs.delivery(at(3), [...day("02", 100), ...day("03", 200)], "made-up"))
      yield* close.run
      yield* TestClock.setTime(at(5))
      // The second reading of the third is restated: the next batch has a revision, and a document of it.
      yield* ingest.write(
        Runs.delivery(at(4, 9), [reading("FIL", "03", 2, 250), ...day("04", 300)], "made-up")
      )
      yield* close.run
      yield* sql`create table if not exists kept_leaf as select * from leaf where false`
      yield* sql`create table if not exists kept_observation as select * from observation where false`
    })

    it.effect("is found, and named, by at least one of the finders", () =>
      Effect.gen(function* () {
        yield* prepared
        const sql = yield* SqlClient.SqlClient
        const current = yield* Current
        const table: Record<string, Record<string, string | undefined>> = {}
        for (const [name, { alter, check, monitor, undo }] of Object.entries(tamperings)) {
          yield* sql.unsafe(alter)
          yield* Effect.andThen(current.reload, clearRecentDays)
          const checked = (yield* checkLog(true)).findings
          const monitorFindings = (yield* monitorOnce(at(5))).findings
          yield* sql.unsafe(undo)
          yield* Effect.andThen(current.reload, clearRecentDays)
          table[name] = {
            check: check === undefined ? checked[0]?.what : checked.find(({ what }) => what === check)?.what,
            monitor:
              monitor === byChance
                ? byChance
                : monitor === undefined
                  ? monitorFindings[0]?.what
                  : monitorFindings.find(({ what }) => what === monitor)?.what
          }
        }
        assert.deepStrictEqual(
          table,
          Object.fromEntries(
            Object.entries(tamperings).map(([name, { check, monitor }]) => [name, { check, monitor }])
          )
        )
        for (const [name, { check, monitor }] of Object.entries(tamperings))
          assert.strictEqual(name === "nothing", check === undefined && monitor === undefined)
      })
    )

    it.effect("is checked again only where it is new, and in a sample of the rest", () =>
      Effect.gen(function* () {
        const first = yield* checkLog(false)
        assert.deepStrictEqual([first.findings, first.batches], [[], 3])
        const ingest = yield* Ingest
        for (let n = 6; n <= 9; n++) {
          yield* TestClock.setTime(at(n))
          yield* ingest.write(Runs.delivery(at(n - 1, 20), day(`0${n - 1}`, n * 100), "made-up"))
          yield* (yield* DailyClose).run
        }
        assert.strictEqual((yield* checkLog(false)).batches, 3 + 4)
        assert.strictEqual((yield* checkLog(false)).batches, 3)
        assert.strictEqual((yield* checkLog(true)).batches, 7)
        // What was found stays new.
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe("update latest set value = value + 1")
        assert.strictEqual((yield* checkLog(false)).findings.length, 2)
        assert.strictEqual((yield* checkLog(false)).findings.length, 2)
        yield* sql.unsafe("update latest set value = value - 1")
      })
    )
  })
})
