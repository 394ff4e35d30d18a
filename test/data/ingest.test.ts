import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Blobs } from "../../core/data/Blobs.ts"
import { Current } from "../../core/data/Current.ts"
import { Ingest } from "../../core/data/Ingest.ts"
import * as partitions from "../../core/data/partitions.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)

onBothEngines("ingest", (database) => {
  const services = Ingest.layer.pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(database)
  )
  const fresh = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`truncate exclusion, incident, revision, daily, latest, observation, exchange, run, blob`
    const current = yield* Current
    yield* current.reload
    yield* TestClock.setTime(noon)
    return yield* Ingest
  })

  layer(services)((it) => {
    const ingesting = <A, E>(
      name: string,
      body: (ingest: Ingest["Service"]) => Effect.Effect<A, E, Layer.Success<typeof services>>
    ) => it.effect(name, () => Effect.flatMap(fresh, body))

    ingesting("keeps bodies, run, exchanges and rows", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const given = Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")])
        assert.deepStrictEqual(yield* ingest.write(given), { fresh: 1, revised: 0, excluded: 0 })
        assert.deepStrictEqual(yield* sql`select plugin, status, complete, n_rows from run`, [
          { plugin: "testnet", status: "ok", complete: true, n_rows: 1 }
        ])
        const [exchange] = yield* sql<{ sha256: string }>`select sha256 from exchange`
        const body = yield* (yield* Blobs).get(exchange?.sha256 ?? "")
        assert.isTrue(Option.isSome(body))
        const { bySymbol } = yield* (yield* Current).snapshot
        assert.deepStrictEqual(
          bySymbol.get("FIL")?.map(({ row }) => row),
          [Runs.row(100, "2026-09-05T11:59:00Z")]
        )
      })
    )

    ingesting("gives the same run twice without doubling anything", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const given = Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")])
        yield* ingest.write(given)
        assert.deepStrictEqual(yield* ingest.write(given), { fresh: 0, revised: 0, excluded: 0 })
        assert.deepStrictEqual(
          yield* sql`select (select count(*)::int from observation) as o, (select count(*)::int from run) as r,
            (select n_observations from daily) as n`,
          [{ o: 1, r: 1, n: 1 }]
        )
      })
    )

    ingesting("counts a day's readings and keeps the last by as_of, in whatever order they come", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-05T10:00:00Z")]))
        yield* ingest.write(
          Runs.delivery(noon, [Runs.row(103, "2026-09-05T11:30:00Z"), Runs.row(90, "2026-09-04T23:59:59Z")])
        )
        yield* ingest.write(Runs.delivery(noon, [Runs.row(102, "2026-09-05T11:00:00Z")]))
        assert.deepStrictEqual(
          yield* sql`select day::text, value, n_observations, version from daily order by day`,
          [
            { day: "2026-09-04", value: 90, n_observations: 1, version: 1 },
            { day: "2026-09-05", value: 103, n_observations: 3, version: 1 }
          ]
        )
        const { rows } = yield* (yield* Current).snapshot
        assert.strictEqual(rows[0]?.row.value, 103)
      })
    )

    ingesting("an unchanged value only moves confirmed_at, and no version of the snapshot", (ingest) =>
      Effect.gen(function* () {
        const current = yield* Current
        yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")]))
        const before = yield* current.snapshot
        yield* TestClock.adjust("1 hour")
        yield* ingest.write(Runs.delivery(noon + 3_600_000, [Runs.row(100, "2026-09-05T11:59:00Z")]))
        const after = yield* current.snapshot
        assert.strictEqual(after.version, before.version)
        assert.strictEqual(after.rows[0]?.confirmedAt, noon + 3_600_000)
      })
    )

    ingesting("a restated value is a revision with the value before it", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")]))
        assert.deepStrictEqual(
          yield* ingest.write(Runs.delivery(noon, [Runs.row(110, "2026-09-05T11:59:00Z")])),
          {
            fresh: 1,
            revised: 1,
            excluded: 0
          }
        )
        assert.deepStrictEqual(yield* sql`select before_value, after_value, version from revision`, [
          { before_value: 100, after_value: 110, version: 2 }
        ])
        assert.deepStrictEqual(yield* sql`select value, n_observations from daily`, [
          { value: 110, n_observations: 1 }
        ])
      })
    )

    ingesting("a reading for a sealed day makes a new version of the day", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-04T11:00:00Z")]))
        yield* sql`update daily set sealed_by = 1`
        yield* ingest.write(Runs.delivery(noon, [Runs.row(101, "2026-09-04T12:00:00Z")]))
        yield* ingest.write(Runs.delivery(noon, [Runs.row(102, "2026-09-04T13:00:00Z")]))
        assert.deepStrictEqual(
          yield* sql`select version, value, n_observations, sealed_by from daily order by version`,
          [
            { version: 1, value: 100, n_observations: 1, sealed_by: 1 },
            { version: 2, value: 102, n_observations: 3, sealed_by: null }
          ]
        )
      })
    )

    ingesting("a collapse is held back: kept, excluded, and the row before it stays latest", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* ingest.write(Runs.delivery(noon, [Runs.row(1000, "2026-09-05T10:00:00Z")]))
        const written = yield* ingest.write(Runs.delivery(noon, [Runs.row(0, "2026-09-05T11:00:00Z")]))
        assert.deepStrictEqual(written, { fresh: 1, revised: 0, excluded: 1 })
        yield* ingest.write(Runs.delivery(noon, [Runs.row(1, "2026-09-05T11:30:00Z")]))
        const { rows } = yield* (yield* Current).snapshot
        assert.deepStrictEqual(
          rows.map(({ row }) => row.value),
          [1000]
        )
        assert.deepStrictEqual(yield* sql`select kind, symbol, from_as_of, to_as_of from incident`, [
          {
            kind: "automatic",
            symbol: "FIL",
            from_as_of: new Date("2026-09-05T11:00:00Z"),
            to_as_of: new Date("2026-09-05T11:30:00Z")
          }
        ])
        assert.deepStrictEqual(
          yield* sql`select incident > 0 as excluded, value, n_observations from daily order by incident`,
          [
            { excluded: false, value: 1000, n_observations: 1 },
            { excluded: true, value: 1, n_observations: 2 }
          ]
        )
        assert.deepStrictEqual(yield* sql`select count(*)::int as n from observation`, [{ n: 3 }])
      })
    )

    ingesting("bounds are per metric: a count below zero is held back, a change of 300 % is not", (ingest) =>
      Effect.gen(function* () {
        const change = { metric: "price_change_24h_pct", unit: "pct" } as const
        const written = yield* ingest.write(
          Runs.delivery(noon, [
            Runs.row(-1, "2026-09-05T10:00:00Z"),
            Runs.row(300, "2026-09-05T10:00:00Z", change),
            Runs.row(-0.01, "2026-09-05T11:00:00Z", change)
          ])
        )
        assert.deepStrictEqual(written, { fresh: 3, revised: 0, excluded: 1 })
      })
    )

    ingesting("a reading of before the epoch lives in latest only", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* ingest.write(Runs.delivery(noon, [Runs.row(5, "2021-11-24T20:26:26.644Z")]))
        assert.deepStrictEqual(
          yield* sql`select (select count(*)::int from observation) as o, (select count(*)::int from daily) as d,
            (select count(*)::int from latest) as l`,
          [{ o: 0, d: 0, l: 1 }]
        )
      })
    )

    ingesting("keeps more rows than one statement takes", (ingest) =>
      Effect.gen(function* () {
        const many = Array.from({ length: 2500 }, (_, index) =>
          Runs.row(index, new Date(Date.UTC(2026, 8, 5) + index * 1000).toISOString().replace(".000Z", "Z"))
        )
        const written = yield* ingest.write(Runs.delivery(noon, many))
        assert.strictEqual(written.fresh, 2500)
      })
    )
  })
})
