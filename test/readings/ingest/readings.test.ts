import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { Versions } from "../../../core/readings/read/Versions.ts"
import { attested, dueAt } from "../../support/due.ts"
import * as Runs from "../../support/runs.ts"
import { ingestingOnBoth, noon } from "./ingestSuite.ts"

ingestingOnBoth("ingest: readings", (testIngest) => {
  testIngest("counts a day's readings and keeps the last by as_of, in whatever order they come", (ingest) =>
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

  testIngest("an unchanged value only moves confirmed_at, and no version of the values", (ingest) =>
    Effect.gen(function* () {
      const current = yield* Current
      yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")]))
      const { cell } = yield* Versions
      const before = cell("symbols").version(noon)
      yield* TestClock.adjust("1 hour")
      yield* ingest.write(Runs.delivery(noon + 3_600_000, [Runs.row(100, "2026-09-05T11:59:00Z")]))
      const after = yield* current.snapshot
      assert.strictEqual(cell("symbols").version(noon), before)
      assert.strictEqual(after.rows[0]?.confirmedAt, noon + 3_600_000)
    })
  )

  testIngest(
    "a renewed value leaves which networks are measured as it was, and an old one does not",
    (ingest) =>
      Effect.gen(function* () {
        const { cell } = yield* Versions
        const numbers = () => [cell("symbols").number(noon), cell("networks").number(noon)] as const
        const moved = Effect.fnUntraced(function* (at: number, row: ReturnType<typeof Runs.row>) {
          yield* TestClock.setTime(at)
          const [symbols, networks] = numbers()
          yield* ingest.write(Runs.delivery(at, [row]))
          const [symbolsNow, networksNow] = numbers()
          return [symbolsNow > symbols, networksNow > networks]
        })
        const day = 86_400_000
        assert.deepStrictEqual(yield* moved(noon, Runs.row(100, "2026-09-05T11:00:00Z")), [true, true])
        assert.deepStrictEqual(yield* moved(noon + 1, Runs.row(101, "2026-09-05T11:30:00Z")), [true, false])
        assert.deepStrictEqual(yield* moved(noon + 8 * day, Runs.row(102, "2026-09-13T11:30:00Z")), [
          true,
          true
        ])
        assert.deepStrictEqual(
          yield* moved(noon + 8 * day, Runs.row(7, "2026-09-13T11:30:00Z", { symbol: "STORJ" })),
          [true, true]
        )
      })
  )

  testIngest(
    "a preview is served and leaves no run, no reading and no day; the run is stored later",
    (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const delivery = Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")])
        yield* ingest.preview(delivery)
        const { bySymbol } = yield* (yield* Current).snapshot
        assert.deepStrictEqual(
          bySymbol.get("FIL")?.map(({ row }) => row),
          [Runs.row(100, "2026-09-05T11:59:00Z")]
        )
        const counts = sql`select (select count(*)::int from run) as runs,
        (select count(*)::int from observation) as readings, (select count(*)::int from daily) as days`
        assert.deepStrictEqual(yield* counts, [{ runs: 0, readings: 0, days: 0 }])
        yield* ingest.write(Runs.delivery(noon - 86_400_000, [Runs.row(90, "2026-09-04T11:59:00Z")]))
        yield* ingest.write(delivery)
        assert.deepStrictEqual(yield* counts, [{ runs: 2, readings: 2, days: 2 }])
        assert.deepStrictEqual(yield* sql`select value from latest`, [{ value: 100 }])
      })
  )

  testIngest("a run that is stored late does not move a day's or a row's time back", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const simulated = (at: number, value: number, as_of: string) => {
        const { bodies, run } = Runs.delivery(at, [Runs.row(value, as_of)])
        return { bodies, run: { ...run, simulated: true as const } }
      }
      const hour = 3_600_000
      yield* ingest.write(simulated(noon, 100, "2026-09-05T09:00:00Z"))
      yield* ingest.write(simulated(noon - 2 * hour, 90, "2026-09-05T08:00:00Z"))
      yield* ingest.write(simulated(noon - hour, 110, "2026-09-05T10:00:00Z"))
      for (const table of ["daily", "latest"]) {
        assert.deepStrictEqual(yield* sql`select value, recorded_at from ${sql(table)}`, [
          { value: 110, recorded_at: new Date(noon) }
        ])
      }
      yield* sql`update daily set sealed_by = 1`
      yield* ingest.write(simulated(noon - hour, 80, "2026-09-05T07:00:00Z"))
      assert.deepStrictEqual(yield* sql`select version, recorded_at from daily order by version`, [
        { version: 1, recorded_at: new Date(noon) },
        { version: 2, recorded_at: new Date(noon) }
      ])
    })
  )

  testIngest("a reading for a sealed day makes a new version of the day", (ingest) =>
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

  testIngest("a reading of before the epoch lives in latest only", (ingest) =>
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

  testIngest("a run that comes late says nothing over a later one", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const early = Runs.delivery(noon, [Runs.row(100, "2026-09-05T10:00:00Z")])
      yield* ingest.write(Runs.delivery(noon, [Runs.row(101, "2026-09-05T10:00:00Z")]))
      assert.deepStrictEqual(yield* ingest.write(early), { fresh: 0, revised: 0, excluded: 0 })
      const { rows } = yield* (yield* Current).snapshot
      assert.strictEqual(rows[0]?.row.value, 101)
      assert.deepStrictEqual(yield* sql`select value from latest`, [{ value: 101 }])
    })
  )

  testIngest("a reading of a month that was dropped lives in latest only, and costs no other", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* partitions.ensure(noon)
      const december = Date.UTC(2026, 11, 20)
      yield* partitions.ensure(december)
      assert.deepStrictEqual(yield* partitions.dropBefore(dueAt(december), { attested, keepDays: 90 }), [
        "observation_2026_08"
      ])
      yield* TestClock.setTime(december)
      const written = yield* ingest.write(
        Runs.delivery(december, [
          Runs.row(100, "2026-08-20T10:00:00Z"),
          Runs.row(7, "2026-12-19T10:00:00Z", { symbol: "STORJ" })
        ])
      )
      assert.deepStrictEqual(written, { fresh: 1, revised: 0, excluded: 0 })
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from latest`, [{ n: 2 }])
      yield* sql`delete from fact`
      yield* partitions.ensure(noon)
    })
  )

  testIngest("a restated value is a revision with the value before it", (ingest) =>
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

  testIngest("a collapse is held back: kept, excluded, and the row before it stays latest", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* ingest.write(Runs.delivery(noon, [Runs.row(1000, "2026-09-05T10:00:00Z")]))
      const written = yield* ingest.write(Runs.delivery(noon, [Runs.row(4, "2026-09-05T11:00:00Z")]))
      assert.deepStrictEqual(written, { fresh: 1, revised: 0, excluded: 1 })
      // Of the same level: under the same incident. Zero is another level.
      yield* ingest.write(Runs.delivery(noon, [Runs.row(5, "2026-09-05T11:30:00Z")]))
      yield* ingest.write(Runs.delivery(noon, [Runs.row(0, "2026-09-05T11:45:00Z")]))
      const { rows } = yield* (yield* Current).snapshot
      assert.deepStrictEqual(
        rows.map(({ row }) => row.value),
        [1000]
      )
      assert.deepStrictEqual(
        yield* sql`select kind, symbol, from_as_of, to_as_of, held from incident order by id`,
        [
          {
            kind: "automatic",
            symbol: "FIL",
            from_as_of: new Date("2026-09-05T11:00:00Z"),
            to_as_of: new Date("2026-09-05T11:30:00Z"),
            held: 4
          },
          {
            kind: "automatic",
            symbol: "FIL",
            from_as_of: new Date("2026-09-05T11:45:00Z"),
            to_as_of: new Date("2026-09-05T11:45:00Z"),
            held: 0
          }
        ]
      )
      assert.deepStrictEqual(
        yield* sql`select incident > 0 as excluded, value, n_observations from daily order by incident`,
        [
          { excluded: false, value: 1000, n_observations: 1 },
          { excluded: true, value: 5, n_observations: 2 },
          { excluded: true, value: 0, n_observations: 1 }
        ]
      )
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from observation`, [{ n: 4 }])
    })
  )

  testIngest("bounds are per metric: a count below zero is held back, a change of 300 % is not", (ingest) =>
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

  testIngest("holds a window of the past that is read again against nothing that came later", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // A sevenfold rise passes in a young series of few; 14 would be a fall of more than nine tenths from what came later.
      const window = [Runs.row(20, "2026-09-03T10:00:00Z"), Runs.row(150, "2026-09-05T10:00:00Z")]
      assert.deepStrictEqual(yield* ingest.write(Runs.delivery(noon, window)), {
        fresh: 2,
        revised: 0,
        excluded: 0
      })
      assert.deepStrictEqual(
        yield* ingest.write(Runs.delivery(noon, [Runs.row(14, "2026-09-02T10:00:00Z"), ...window])),
        { fresh: 1, revised: 0, excluded: 0 }
      )
      assert.deepStrictEqual(yield* sql`select id from incident`, [])
    })
  )

  testIngest("does not ask again about a reading that a person has let pass", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const below = Runs.row(-1, "2026-09-05T10:00:00Z")
      yield* ingest.write(Runs.delivery(noon, [below]))
      yield* sql`update incident set closed_at = now(), closing_note = 'it is so'`
      assert.deepStrictEqual(yield* ingest.write(Runs.delivery(noon, [below])), {
        fresh: 0,
        revised: 0,
        excluded: 0
      })
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from incident`, [{ n: 1 }])
    })
  )

  testIngest(
    "a restatement that is held back leaves what it restates, and is counted under its incident",
    (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* ingest.write(Runs.delivery(noon, [Runs.row(1000, "2026-09-05T10:00:00Z")]))
        assert.deepStrictEqual(
          yield* ingest.write(Runs.delivery(noon, [Runs.row(1, "2026-09-05T10:00:00Z")])),
          { fresh: 1, revised: 1, excluded: 1 }
        )
        yield* ingest.write(Runs.delivery(noon, [Runs.row(990, "2026-09-05T10:00:00Z")]))
        assert.deepStrictEqual(
          yield* sql`select incident > 0 as excluded, value, n_observations as n from daily order by incident`,
          [
            { excluded: false, value: 990, n: 1 },
            { excluded: true, value: 1, n: 1 }
          ]
        )
        const { rows } = yield* (yield* Current).snapshot
        assert.strictEqual(rows[0]?.row.value, 990)
      })
  )

  testIngest("a change of the text beside an equal number is a revision", (ingest) =>
    Effect.gen(function* () {
      const big = Runs.row(2 ** 60, "2026-09-05T10:00:00Z", { value_text: "1152921504606846976" })
      yield* ingest.write(Runs.delivery(noon, [big]))
      const written = yield* ingest.write(
        Runs.delivery(noon, [{ ...big, value_text: "1152921504606846977" }])
      )
      assert.deepStrictEqual(written, { fresh: 1, revised: 1, excluded: 0 })
      const { rows } = yield* (yield* Current).snapshot
      assert.strictEqual(rows[0]?.row.value_text, "1152921504606846977")
    })
  )
})
