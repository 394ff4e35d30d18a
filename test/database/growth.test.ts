/** The page on scale accounts for every table: one that is new fails here until somebody says how it grows. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { accounted, readGrowth } from "../bench/growth.ts"
import { postgres } from "../support/database.ts"

/** Values of so many days and series are compared. */
const [days, series] = [10, 3000]

layer(postgres)("what grows", (it) => {
  it.effect("is said of every table that there is, and of no other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ name: string }>`
        select c.relname::text as name from pg_class c
        where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
          and c.relname not like 'migrations\\_%'`
      const names = tables.map(({ name }) => name)
      assert.deepStrictEqual(
        names.filter((name) => !accounted.includes(name)),
        [],
        "say in test/bench/growth.ts how they grow, and measure them in test/campaigns/year.ts if it is with series or runs"
      )
      assert.sameMembers(names, [...accounted])
    })
  )

  it.effect("of comparisons with other operators is what the page counts for a value", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into series (symbol, metric, source, plugin, tier, unit)
        select 'S' || n, 'nodes_online', 'test_feed', 'testnet', 'supply_telemetry', 'count' from generate_series(1, ${series}::int) n`
      yield* sql`insert into agreement_day (day, document, leaves, hashes, log_index, n_observers, tree_size, n_compared, n_differs)
        select date '2026-09-01' + n, n::text, n::text, '', n, 1, 1, 1, 0 from generate_series(1, ${days}::int) n`
      // As the days write them: all series of one day, then those of the next.
      yield* sql`insert into agreement_value (series, day, place, value, n_observers, n_agree)
        select s.id, d.day, s.id, s.id * 1.5, 2, 2 from agreement_day d cross join series s order by d.day, s.id`
      yield* sql`vacuum full analyze agreement_value`
      const [size] = yield* sql<{ bytes: number }>`
        select pg_total_relation_size('agreement_value')::float8 / (${days}::int * ${series}::int) as bytes`
      assert.closeTo(size?.bytes ?? 0, readGrowth().agreement_value, 0.1 * readGrowth().agreement_value)
    })
  )
})
