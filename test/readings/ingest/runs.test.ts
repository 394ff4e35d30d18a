import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Observation } from "../../../core/plugin/Value.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { neverGiven } from "../../../core/readings/ingest/accept/absent.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import { rowsHash } from "../../../core/readings/ingest/runs/lines.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { supplyOf } from "../../../core/readings/read/supply.ts"
import * as Runs from "../../support/runs.ts"
import { fresh, ingestingOnBoth, noon } from "./ingestSuite.ts"

ingestingOnBoth("ingest: runs", (testIngest) => {
  testIngest("keeps bodies, run, exchanges and rows", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const delivery = Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")])
      assert.deepStrictEqual(yield* ingest.write(delivery), { fresh: 1, revised: 0, excluded: 0 })
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

  testIngest("keeps a run that failed, which has no rows", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { bodies, run } = Runs.delivery(noon, [])
      yield* ingest.write({
        bodies,
        run: { ...run, status: "failed", error: { tag: "RunTimeout", message: "too long" } }
      })
      assert.deepStrictEqual(yield* sql`select status, error_tag, complete, n_rows from run`, [
        { status: "failed", error_tag: "RunTimeout", complete: true, n_rows: 0 }
      ])
    })
  )

  testIngest("gives the same run twice without doubling anything", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const delivery = Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")])
      yield* ingest.write(delivery)
      assert.deepStrictEqual(yield* ingest.write(delivery), { fresh: 0, revised: 0, excluded: 0 })
      assert.deepStrictEqual(
        yield* sql`select (select count(*)::int from observation) as o, (select count(*)::int from run) as r,
          (select n_observations from daily) as n`,
        [{ o: 1, r: 1, n: 1 }]
      )
    })
  )

  testIngest(
    "rows that the manifest does not allow are refused with the reason, and the others kept",
    (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const time = "2026-09-05T11:59:00Z"
        const delivery = Runs.delivery(noon, [
          Runs.row(1, time, { symbol: "" }),
          Runs.row(2, time, { symbol: "AKT" }),
          Runs.row(3, time, { metric: "nodes_total" }),
          Runs.row(4, time, { unit: "usd" }),
          Runs.row(5, time, { source: "" }),
          Runs.row(6, time, { source: "another_feed" }),
          Runs.row(7, time, { verify_url: "" }),
          Runs.row(8, time, { verify_url: "http://stats.example.net/v1/nodes" }),
          Runs.row(Number.NaN, time),
          Runs.row(9, time)
        ])
        assert.deepStrictEqual(yield* ingest.write(delivery), { fresh: 1, revised: 0, excluded: 0 })
        const [run] = yield* sql<{
          n_rows: number
          rows_sha256: string
          refused: ReadonlyArray<{ reason: string }>
        }>`select n_rows, rows_sha256, refused from run`
        assert.strictEqual(run?.n_rows, 1)
        assert.strictEqual(run?.rows_sha256, yield* rowsHash([Runs.row(9, time)]))
        assert.deepStrictEqual(
          run?.refused.map(({ reason }) => reason),
          [
            "symbol is empty",
            "the manifest does not cover this symbol",
            "the manifest does not declare this metric",
            'unit is "usd"; the manifest declares count',
            'source "" is not one that the manifest declares',
            'source "another_feed" is not one that the manifest declares',
            'verify_url "" is not an https address',
            'verify_url "http://stats.example.net/v1/nodes" is not an https address',
            "not a valid row",
            // Of the other metric and the other network there is no row.
            neverGiven,
            neverGiven
          ]
        )
        const { rows } = yield* (yield* Current).snapshot
        assert.deepStrictEqual(
          rows.map(({ row }) => row.value),
          [9]
        )
      })
  )

  testIngest(
    "holds every reading of a series to the form of a row, also beside others that have it",
    (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const at = (minute: number) => isoTime(noon - 3_600_000 + minute * 60_000)
        const odd = (minute: number, over: object): Observation =>
          Object.assign(Runs.row(1, at(minute)), over)
        const delivery = Runs.delivery(noon, [
          Runs.row(1, at(0)),
          odd(1, { value: Number.NaN }),
          odd(2, { value: "1" }),
          odd(3, { as_of: 5 }),
          odd(4, { value_text: 1 }),
          odd(5, { read_url: 1 }),
          odd(6, { unit: "usd" }),
          odd(7, { symbol: "AKT" }),
          odd(8, { verify_url: "http://stats.example.net/v1/nodes" }),
          Runs.row(2, at(9)),
          Runs.row(3, at(10), { value_text: "3.0" })
        ])
        assert.deepStrictEqual(yield* ingest.write(delivery), { fresh: 3, revised: 0, excluded: 0 })
        assert.deepStrictEqual(yield* sql`select value, value_text from observation order by as_of`, [
          { value: 1, value_text: null },
          { value: 2, value_text: null },
          { value: 3, value_text: "3.0" }
        ])
        const [run] = yield* sql<{ n: number }>`
          select count(*)::int as n from run, jsonb_array_elements(refused) as r where r ->> 'reason' <> ${neverGiven}`
        assert.strictEqual(run?.n, 8)
      })
  )

  testIngest("keeps what was read apart from where a reader may look, and serves it", (ingest) =>
    Effect.gen(function* () {
      const current = yield* Current
      const read_url = "https://rpc.example.net/"
      const verifyUrl = Effect.gen(function* () {
        const { supply } = yield* supplyOf({ access: keyless, network: "FIL" })
        const [row] = (yield* current.snapshot).bySymbol.get("FIL") ?? []
        assert.notProperty(row?.row ?? {}, "read_url")
        return supply["nodes_online"]?.verify_yourself
      })
      yield* ingest.write(Runs.delivery(noon, [Runs.row(5, "2026-09-05T10:00:00Z", { read_url })]))
      assert.strictEqual(yield* verifyUrl, read_url)
      yield* current.reload
      assert.strictEqual(yield* verifyUrl, read_url)
      yield* ingest.write(Runs.delivery(noon, [Runs.row(6, "2026-09-05T11:00:00Z")]))
      assert.strictEqual(yield* verifyUrl, "https://stats.example.net/v1/nodes")
    })
  )

  testIngest("keeps more rows than one statement takes", (ingest) =>
    Effect.gen(function* () {
      const many = Array.from({ length: 2500 }, (_, index) =>
        Runs.row(index, new Date(Date.UTC(2026, 8, 5) + index * 1000).toISOString().replace(".000Z", "Z"))
      )
      const written = yield* ingest.write(Runs.delivery(noon, many))
      assert.strictEqual(written.fresh, 2500)
    })
  )

  testIngest("one row said twice in a run counts once", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const twice = Runs.row(100, "2026-09-05T10:00:00Z")
      yield* ingest.write(Runs.delivery(noon, [twice, { ...twice, as_of: "2026-09-05T10:00:00.000Z" }]))
      assert.deepStrictEqual(yield* sql`select n_observations as n from daily`, [{ n: 1 }])
    })
  )

  testIngest("finishes a run that was left between two transactions, as if nothing had been", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const many = Array.from({ length: 2500 }, (_, index) =>
        Runs.row(index + 1, isoTime(Date.UTC(2026, 8, 5) + index * 1000))
      )
      const delivery = Runs.delivery(noon, many)
      // The third chunk cannot be written: what a kill between two transactions leaves.
      yield* sql.unsafe("alter table observation add constraint broken check (value <= 2100)")
      assert.strictEqual((yield* Effect.flip(ingest.write(delivery)))._tag, "SqlError")
      yield* sql.unsafe("alter table observation drop constraint broken")
      assert.deepStrictEqual(
        yield* sql`select complete, (select count(*)::int from observation) as n from run`,
        [{ complete: false, n: 2000 }]
      )
      assert.deepStrictEqual(yield* ingest.recover("testnet"), [delivery.run.id])
      assert.deepStrictEqual(
        yield* sql`select complete, (select count(*)::int from observation) as n,
          (select n_observations from daily) as of_day, (select count(*)::int from unfinished) as left from run`,
        [{ complete: true, n: 2500, of_day: 2500, left: 0 }]
      )
      assert.deepStrictEqual(yield* ingest.recover("testnet"), [])
      assert.deepStrictEqual(yield* ingest.write(delivery), { fresh: 0, revised: 0, excluded: 0 })
    })
  )

  testIngest("two that write into one day at once lose no reading of it", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // A second writer with a memory of its own: another replica.
      const other = yield* Layer.build(
        Layer.fresh(Ingest.layer.pipe(Layer.provide(Layer.fresh(Current.layer))))
      ).pipe(Effect.map(Context.get(Ingest)))
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) =>
          (index % 2 === 0 ? ingest : other).write(
            Runs.delivery(noon, [Runs.row(100 + index, isoTime(Date.UTC(2026, 8, 5, 0, index)))])
          ),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(yield* sql`select n_observations as n, value from daily`, [
        { n: 40, value: 139 }
      ])
      assert.deepStrictEqual(yield* sql`select value from latest`, [{ value: 139 }])
    }).pipe(Effect.scoped)
  )

  testIngest("keeps several runs at once as it keeps one after the other", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = Effect.all([
        sql`select id, plugin, status, n_rows, rows_sha256, settings, refused, simulated, complete from run order by id`,
        sql`select * from exchange order by run, n`,
        sql`select * from observation order by series, as_of, version`,
        sql`select series, day::text, incident > 0 as excluded, version, as_of, value, n_observations, verify_url,
          recorded_at, simulated from daily order by series, day, excluded`,
        sql`select series, as_of, value, run, recorded_at, confirmed_at, simulated from latest order by series`,
        sql`select series, as_of, version, before_value, after_value, recorded_at, run from revision order by series`,
        sql`select symbol, metric, kind, reason, opened_at from incident order by id`
      ])
      const at = "2026-09-05T10:00:00Z"
      const simulated = Runs.delivery(noon - 60_000, [
        Runs.row(2, at, { metric: "price_change_24h_pct", unit: "pct" })
      ])
      const runs = [
        Runs.delivery(noon, [Runs.row(1000, at), Runs.row(50, at, { symbol: "STORJ" })]),
        { ...simulated, run: { ...simulated.run, simulated: true as const } },
        // What the first run says of a series counts before the next one's row of it is judged.
        Runs.delivery(noon, [Runs.row(990, at)]),
        Runs.delivery(noon, []),
        Runs.delivery(
          noon,
          Array.from({ length: 1200 }, (_, n) => Runs.row(1000, isoTime(Date.UTC(2026, 8, 4) + n * 1000)))
        ),
        Runs.delivery(noon, [Runs.row(1, "2026-09-05T11:00:00Z")])
      ]
      const written = yield* ingest.write(...runs)
      const together = yield* tables
      assert.deepStrictEqual(written, { fresh: 1205, revised: 1, excluded: 1 })
      assert.deepStrictEqual(yield* ingest.write(...runs), { fresh: 0, revised: 0, excluded: 0 })
      const again = yield* fresh
      yield* Effect.forEach(runs, (run) => again.write(run), { discard: true })
      assert.deepStrictEqual(together, yield* tables)
    })
  )

  testIngest("keeps small runs in one transaction, but for a second one of a series", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const time = "2026-09-05T10:00:00Z"
      const [fil, storj, filAgain] = [
        Runs.delivery(noon, [Runs.row(1, time)]),
        Runs.delivery(noon, [Runs.row(2, time, { symbol: "STORJ" })]),
        Runs.delivery(noon, [Runs.row(3, "2026-09-05T11:00:00Z")])
      ]
      yield* ingest.write(fil, storj, filAgain)
      const transactions = yield* sql<{ id: string; xmin: string }>`
        select id, xmin::text from run order by id`
      const [first, second, third] = transactions.map(({ xmin }) => xmin)
      assert.strictEqual(first, second)
      assert.notStrictEqual(second, third)
    })
  )

  testIngest("keeps no more rows in one transaction than a chunk has", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const readings = (from: number, over: Partial<Observation>) =>
        Runs.delivery(
          noon,
          Array.from({ length: 400 }, (_, n) => Runs.row(n + 1, isoTime(from + n * 1000), over))
        )
      const change = { metric: "price_change_24h_pct", unit: "pct" } as const
      const written = yield* ingest.write(
        readings(noon - 3_600_000, {}),
        readings(noon - 3_600_000, { symbol: "STORJ" }),
        readings(noon - 3_600_000, change)
      )
      assert.strictEqual(written.fresh, 1200)
      const runs = yield* sql<{ complete: boolean; xmin: string }>`
        select complete, xmin::text from run order by id`
      assert.deepStrictEqual(
        runs.map(({ complete, xmin }) => [complete, xmin === runs[0]?.xmin]),
        [
          [true, true],
          [true, true],
          [true, false]
        ]
      )
    })
  )

  testIngest("of runs that share a transaction it keeps none where the epoch of one is over", (ingest) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into feed_owner values ('testnet', 2, 'another process', now())`
      const time = "2026-09-05T10:00:00Z"
      const current = { ...Runs.delivery(noon, [Runs.row(1, time)]), epoch: 2 }
      const over = { ...Runs.delivery(noon, [Runs.row(2, time, { symbol: "STORJ" })]), epoch: 1 }
      const error = yield* Effect.flip(ingest.write(current, over))
      assert.strictEqual(error._tag, "RunFenced")
      assert.deepStrictEqual(yield* sql`select id from run`, [])
      yield* ingest.write(current)
      assert.deepStrictEqual(yield* sql`select complete from run`, [{ complete: true }])
      yield* sql`delete from feed_owner`
    })
  )
})
