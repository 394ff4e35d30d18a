import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Blobs } from "../../core/data/ingest/Blobs.ts"
import { chunkRows, Ingest } from "../../core/data/ingest/Ingest.ts"
import { rowsHash } from "../../core/data/ingest/lines.ts"
import * as partitions from "../../core/data/ingest/partitions.ts"
import { keyless } from "../../core/data/read/Access.ts"
import { Current } from "../../core/data/read/Current.ts"
import { supplyOf } from "../../core/data/read/supply.ts"
import { Versions } from "../../core/data/read/Versions.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)

onBothEngines("ingest", (database) => {
  const services = Ingest.layer.pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    // The same on both engines: the runs of these tests are of several transactions.
    Layer.provideMerge(Layer.succeed(chunkRows, 1000)),
    Layer.provideMerge(database)
  )
  const fresh = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`truncate incident_event, exclusion, incident, revision, daily, latest, observation, exchange, run, blob,
      unfinished, fact`
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

    ingesting("keeps a run that failed, which has no rows", (ingest) =>
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

    ingesting("keeps several runs at once as it keeps one after the other", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const kept = Effect.all([
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
        const together = yield* kept
        assert.deepStrictEqual(written, { fresh: 1205, revised: 1, excluded: 1 })
        assert.deepStrictEqual(yield* ingest.write(...runs), { fresh: 0, revised: 0, excluded: 0 })
        const again = yield* fresh
        yield* Effect.forEach(runs, (run) => again.write(run), { discard: true })
        assert.deepStrictEqual(together, yield* kept)
      })
    )

    ingesting("keeps small runs in one transaction, but for a second one of a series", (ingest) =>
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

    ingesting("of runs that share a transaction it keeps none where the epoch of one is over", (ingest) =>
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

    ingesting("an unchanged value only moves confirmed_at, and no version of the values", (ingest) =>
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

    ingesting(
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

    ingesting(
      "a preview is served and leaves no run, no reading and no day; the run is stored later",
      (ingest) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const given = Runs.delivery(noon, [Runs.row(100, "2026-09-05T11:59:00Z")])
          yield* ingest.preview(given)
          const { bySymbol } = yield* (yield* Current).snapshot
          assert.deepStrictEqual(
            bySymbol.get("FIL")?.map(({ row }) => row),
            [Runs.row(100, "2026-09-05T11:59:00Z")]
          )
          const counts = sql`select (select count(*)::int from run) as runs,
          (select count(*)::int from observation) as readings, (select count(*)::int from daily) as days`
          assert.deepStrictEqual(yield* counts, [{ runs: 0, readings: 0, days: 0 }])
          yield* ingest.write(Runs.delivery(noon - 86_400_000, [Runs.row(90, "2026-09-04T11:59:00Z")]))
          yield* ingest.write(given)
          assert.deepStrictEqual(yield* counts, [{ runs: 2, readings: 2, days: 2 }])
          assert.deepStrictEqual(yield* sql`select value from latest`, [{ value: 100 }])
        })
    )

    ingesting("a run that is stored late does not move a day's or a row's time back", (ingest) =>
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

    ingesting(
      "rows that the manifest does not allow are refused with the reason, and the others kept",
      (ingest) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const time = "2026-09-05T11:59:00Z"
          const given = Runs.delivery(noon, [
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
          assert.deepStrictEqual(yield* ingest.write(given), { fresh: 1, revised: 0, excluded: 0 })
          const [run] = yield* sql<{
            n_rows: number
            rows_sha256: string
            refused: ReadonlyArray<{ reason: string }>
          }>`select n_rows, rows_sha256, refused from run`
          assert.strictEqual(run?.n_rows, 1)
          assert.strictEqual(run?.rows_sha256, rowsHash([Runs.row(9, time)]))
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
              "not a valid row"
            ]
          )
          const { rows } = yield* (yield* Current).snapshot
          assert.deepStrictEqual(
            rows.map(({ row }) => row.value),
            [9]
          )
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

    ingesting("keeps what was read apart from where a reader may look, and serves it", (ingest) =>
      Effect.gen(function* () {
        const current = yield* Current
        const read_url = "https://rpc.example.net/"
        const shown = Effect.gen(function* () {
          const { supply } = yield* supplyOf({ access: keyless, network: "FIL" })
          const [row] = (yield* current.snapshot).bySymbol.get("FIL") ?? []
          assert.notProperty(row?.row ?? {}, "read_url")
          return supply["nodes_online"]?.verify_yourself
        })
        yield* ingest.write(Runs.delivery(noon, [Runs.row(5, "2026-09-05T10:00:00Z", { read_url })]))
        assert.strictEqual(yield* shown, read_url)
        yield* current.reload
        assert.strictEqual(yield* shown, read_url)
        yield* ingest.write(Runs.delivery(noon, [Runs.row(6, "2026-09-05T11:00:00Z")]))
        assert.strictEqual(yield* shown, "https://stats.example.net/v1/nodes")
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

    ingesting("holds a window of the past that is read again against nothing that came later", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const window = [Runs.row(20, "2026-09-03T10:00:00Z"), Runs.row(1000, "2026-09-05T10:00:00Z")]
        yield* ingest.write(Runs.delivery(noon, window))
        assert.deepStrictEqual(
          yield* ingest.write(Runs.delivery(noon, [Runs.row(19, "2026-09-02T10:00:00Z"), ...window])),
          { fresh: 1, revised: 0, excluded: 0 }
        )
        assert.deepStrictEqual(yield* sql`select id from incident`, [])
      })
    )

    ingesting("does not ask again about a reading that a person has let pass", (ingest) =>
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

    ingesting(
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

    ingesting("a run that comes late says nothing over a later one", (ingest) =>
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

    ingesting("one row said twice in a run counts once", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const twice = Runs.row(100, "2026-09-05T10:00:00Z")
        yield* ingest.write(Runs.delivery(noon, [twice, { ...twice, as_of: "2026-09-05T10:00:00.000Z" }]))
        assert.deepStrictEqual(yield* sql`select n_observations as n from daily`, [{ n: 1 }])
      })
    )

    ingesting("a change of the text beside an equal number is a revision", (ingest) =>
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

    ingesting("a reading of a month that was dropped lives in latest only, and costs no other", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* partitions.ensure(noon)
        const december = Date.UTC(2026, 11, 20)
        yield* partitions.ensure(december)
        assert.deepStrictEqual(yield* partitions.dropBefore(december, 90), ["observation_2026_08"])
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

    ingesting("finishes a run that was left between two transactions, as if nothing had been", (ingest) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const many = Array.from({ length: 2500 }, (_, index) =>
          Runs.row(index + 1, isoTime(Date.UTC(2026, 8, 5) + index * 1000))
        )
        const given = Runs.delivery(noon, many)
        // The third chunk cannot be written: what a kill between two transactions leaves.
        yield* sql.unsafe("alter table observation add constraint broken check (value <= 2100)")
        assert.strictEqual((yield* Effect.flip(ingest.write(given)))._tag, "SqlError")
        yield* sql.unsafe("alter table observation drop constraint broken")
        assert.deepStrictEqual(
          yield* sql`select complete, (select count(*)::int from observation) as n from run`,
          [{ complete: false, n: 2000 }]
        )
        assert.deepStrictEqual(yield* ingest.recover("testnet"), [given.run.id])
        assert.deepStrictEqual(
          yield* sql`select complete, (select count(*)::int from observation) as n,
            (select n_observations from daily) as of_day, (select count(*)::int from unfinished) as left from run`,
          [{ complete: true, n: 2500, of_day: 2500, left: 0 }]
        )
        assert.deepStrictEqual(yield* ingest.recover("testnet"), [])
        assert.deepStrictEqual(yield* ingest.write(given), { fresh: 0, revised: 0, excluded: 0 })
      })
    )

    ingesting("two that write into one day at once lose no reading of it", (ingest) =>
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
  })
})
