import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { migrations } from "../../core/migrations/data.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { onBothEngines } from "../support/database.ts"

/** The table as it was before it had partitions. */
const before = [
  "drop table daily",
  `create table daily (series integer not null references series, day date not null, incident integer not null default 0,
    version integer not null, as_of timestamptz(3) not null, value double precision not null, value_text text,
    n_observations integer not null, verify_url text not null, recorded_at timestamptz(3) not null,
    simulated boolean not null, readings_sha256 text, sealed_by integer, primary key (series, day, incident, version))`,
  "create index daily_unsealed on daily (series, day, incident, version) where sealed_by is null"
]

const days = ["2025-12-31", "2026-08-06", "2026-12-31", "2027-01-01", "2029-06-30"]

onBothEngines("the days by year", (database) => {
  layer(database)((it) => {
    it.effect("have every row that was there before, in the year of its day", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const statement of before) yield* sql.unsafe(statement)
        yield* sql`insert into series (symbol, metric, source, plugin, tier, unit)
          values ('FIL', 'nodes_online', 'a', 'a', 'supply_telemetry', 'count')`
        yield* sql`insert into daily (series, day, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
          select s.id, d::date, 1, d::timestamptz, 7, 1, 'https://a.test', now(), false
          from series s, unnest(${days}::text[]) d`
        const rows = sql`select * from daily order by day`
        const stored = yield* rows
        yield* migrations["0008_days_by_year"]
        assert.deepStrictEqual(yield* rows, stored)
        assert.deepStrictEqual(
          yield* sql`select tableoid::regclass::text as year, day::text from daily order by day`,
          days.map((day) => ({ year: `daily_${day.slice(0, 4)}`, day }))
        )
      })
    )

    it.effect("have a table for the next year before it begins", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* partitions.ensure(Date.UTC(2033, 11, 31, 23))
        yield* partitions.ensure(Date.UTC(2033, 11, 31, 23))
        const [partition] = yield* sql`select to_regclass('daily_2034') is not null as there`
        assert.deepStrictEqual(partition, { there: true })
      })
    )

    it.effect("of other years are not touched by a question about one", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const plan =
          yield* sql`explain select * from daily where series = 1 and day between '2026-09-01' and '2026-09-30'`
        const text = JSON.stringify(plan)
        assert.include(text, "daily_2026")
        assert.notMatch(text, /daily_20(?!26)/)
      })
    )
  })
})
