/** A transaction of many rows writes them in parts; the tables are those of a transaction for every few rows. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../../core/plugin/Value.ts"
import type { Delivery } from "../../../core/readings/ingest/Run.ts"
import { onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"
import { fresh, noon, servicesOn } from "./ingestSuite.ts"

const minutes = 60_000

/** Readings of both networks, five minutes apart, from so many on: parts end within a day of a series. */
const window = (from: number, valueOf: (n: number) => number): Delivery =>
  Runs.delivery(
    noon,
    ["FIL", "STORJ"].flatMap((symbol) =>
      Array.from({ length: 4000 }, (_, n) =>
        Runs.row(valueOf(from + n), isoTime(noon - (6000 - from - n) * 5 * minutes), { symbol })
      )
    )
  )

/** A first window, and one that overlaps it: every tenth reading is restated, and some are below what is possible. */
const runs = [
  window(0, (n) => 1000 + n),
  window(2000, (n) => (n % 500 === 7 ? -1 : n % 10 === 0 ? 2000 + n : 1000 + n))
]

/** What the tables say, without numbers that count what was written. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    readings: yield* sql`
      select s.symbol, o.as_of, o.version, o.value, o.run, e.incident is not null as excluded
      from observation o join series s on s.id = o.series
        left join exclusion e on e.series = o.series and e.as_of = o.as_of and e.version = o.version
      order by 1, 2, 3`,
    days: yield* sql`
      select s.symbol, d.day::text, d.incident > 0 as excluded, d.version, d.as_of, d.value, d.n_observations
      from daily d join series s on s.id = d.series order by 1, 2, 3, 4`,
    latest: yield* sql`
      select s.symbol, l.as_of, l.value, l.run from latest l join series s on s.id = l.series order by 1`,
    revisions: yield* sql`
      select s.symbol, r.as_of, r.version, r.before_value, r.after_value
      from revision r join series s on s.id = r.series order by 1, 2, 3`,
    incidents: yield* sql`select symbol, kind, from_as_of, to_as_of from incident order by 1`
  }
})

onBothEngines("ingest: parts of a transaction", (database) => {
  const written = (rows: number) =>
    Effect.gen(function* () {
      const ingest = yield* fresh
      const counts = []
      for (const run of runs) counts.push(yield* ingest.write(run))
      return { counts, tables: yield* tables }
    }).pipe(Effect.provide(servicesOn(database, rows), { local: true }))

  it.effect("are stored as transactions of their own are", () =>
    Effect.gen(function* () {
      const inParts = yield* written(100_000)
      assert.deepStrictEqual(inParts, yield* written(1000))
      assert.deepStrictEqual(
        inParts.counts.map(({ revised }) => revised),
        [0, 408]
      )
      assert.isAbove(inParts.tables.readings.length, 12_000)
      assert.strictEqual(inParts.tables.incidents.length, 2)
    })
  )
})
