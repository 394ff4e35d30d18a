/**
 * Where a statement of a chunk fails, what the others wrote before it goes too, and the chunk before stays. Each table in turn
 * refuses its rows of the second chunk.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../../core/plugin/Value.ts"
import { postgres } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"
import { fresh, noon, servicesOn } from "./ingestSuite.ts"

/** Refuses the rows of the second chunk. */
const refusing = (table: string) => [
  "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$",
  `create trigger refuse before insert or update on ${table} for each row
    when (new.value >= 1001) execute function refuse()`
]

const allow = (table: string) => [`drop trigger refuse on ${table}`, "drop function refuse"]

/** One series with a thousand readings, and another from there on: each chunk writes every table, of another day. */
const twoChunks = () =>
  Runs.delivery(
    noon,
    Array.from({ length: 1500 }, (_, n) =>
      Runs.row(n + 1, isoTime(Date.UTC(2026, 8, n < 1000 ? 4 : 5) + (n % 1000) * 1000), {
        symbol: n < 1000 ? "FIL" : "STORJ"
      })
    )
  )

/** What is kept of each network's rows. */
const storedRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ symbol: string; readings: number; days: number; latest: number }>`
    select s.symbol,
      (select count(*)::int from observation o where o.series = s.id) as readings,
      (select coalesce(sum(n_observations), 0)::int from daily d where d.series = s.id) as days,
      (select coalesce(max(value), 0)::int from latest l where l.series = s.id) as latest
    from series s where s.metric = 'nodes_online' order by s.symbol`
})

const first = { symbol: "FIL", readings: 1000, days: 1000, latest: 1000 }

layer(servicesOn(postgres))("ingest: a statement that fails among others", (it) => {
  it.effect.each(["observation", "daily", "latest"])(
    "leaves nothing of its chunk, if it writes %s",
    (table) =>
      Effect.gen(function* () {
        const ingest = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const delivery = twoChunks()
        for (const statement of refusing(table)) yield* sql.unsafe(statement)
        assert.strictEqual((yield* Effect.flip(ingest.write(delivery)))._tag, "SqlError")
        assert.deepStrictEqual(yield* storedRows, [
          first,
          // Its series is written before the transaction of its chunk begins.
          { symbol: "STORJ", readings: 0, days: 0, latest: 0 }
        ])
        for (const statement of allow(table)) yield* sql.unsafe(statement)
        assert.deepStrictEqual(yield* ingest.write(delivery), { fresh: 500, revised: 0, excluded: 0 })
        assert.deepStrictEqual(yield* storedRows, [
          first,
          { symbol: "STORJ", readings: 500, days: 500, latest: 1500 }
        ])
      })
  )
})
