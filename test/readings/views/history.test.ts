import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { history } from "../../../core/readings/read/history.ts"
import { sameHourBefore } from "../../../core/readings/read/sameHour.ts"
import { HistoryResponse } from "../../../core/wire/data/history.ts"
import { onBothEngines } from "../../support/database.ts"
import { statementsOf } from "../../support/statements.ts"
import {
  clearRecentDays,
  day,
  everything,
  latest,
  noon,
  sampled,
  servicesOn,
  setSnapshot,
  storeDaily,
  storeSeries
} from "../../support/views.ts"

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
/** Dates from the epoch on. */
const dates = (n: number, from = Date.UTC(2026, 7, 6)) =>
  Array.from({ length: n }, (_, index) => dateOf(from + index * day))

/** Stores the batch of a day, closed at 08:00 of the next. */
const closeDay = Effect.fnUntraced(function* (date: string) {
  const sql = yield* SqlClient.SqlClient
  const closed = new Date(Date.parse(date) + 32 * 3_600_000)
  yield* sql`insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
    values (${date}::date, ${closed}, 'test', ${closed}, ${closed})`
  yield* clearRecentDays
})

const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate daily, series, batch, fact restart identity cascade`
  yield* closeDay("2026-09-04")
  yield* setSnapshot()
  yield* TestClock.setTime(noon)
})

const ask = (over: Partial<Parameters<typeof history>[0]> = {}) =>
  history({ access: everything, network: "FIL", ...over })

onBothEngines("history", (database) => {
  layer(servicesOn(database))((it) => {
    it.effect("a series has its points and what they add up to", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* storeDaily(yield* storeSeries(), [
          { date: "2026-09-01", value: 8, n: 24, value_text: "8.00" },
          { date: "2026-09-03", value: 4, n: 2, simulated: true },
          { date: "2026-09-04", value: 10 }
        ])
        const response = yield* ask({ metric: "nodes_online" })
        yield* Schema.decodeUnknownEffect(HistoryResponse)(response)
        assert.deepStrictEqual(response, {
          // Nothing has changed since the day began.
          generated_utc: "2026-09-05T00:00:00Z",
          source_table: "daily",
          window_days: 30,
          data: {
            FIL: {
              nodes_online: {
                tier: "supply_telemetry",
                source: "feed_a",
                unit: "count",
                verify_url: "https://stats.example.net/v1/nodes",
                as_of: "2026-09-04T10:00:00Z",
                points: [
                  { date: "2026-09-01", value: 8, value_text: "8.00", n_observations: 24 },
                  { date: "2026-09-03", value: 4, n_observations: 2, simulated: true },
                  { date: "2026-09-04", value: 10, n_observations: 1 }
                ],
                n_points: 3,
                first_date: "2026-09-01",
                last_date: "2026-09-04",
                change_pct: 25,
                change: {
                  from: { date: "2026-09-01", value: 8, value_text: "8.00", as_of: "2026-09-01T10:00:00Z" },
                  to: { date: "2026-09-04", value: 10, as_of: "2026-09-04T10:00:00Z" },
                  absolute: 2,
                  relative: 25
                }
              }
            }
          },
          access: { breadth: "all", history_days: null, note: "all of it" }
        })
      })
    )

    it.effect("thirty days of a network that are in memory ask no SQL, and longer windows do", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* storeDaily(yield* storeSeries(), [{ date: "2026-09-04", value: 10 }])
        const first = yield* ask()
        const [again, none] = yield* statementsOf(ask({ days: 30 }))
        assert.deepStrictEqual(again, first)
        assert.strictEqual(none, 0)
        const [, some] = yield* statementsOf(ask({ as_known_at: "2026-09-05T00:00:00Z" }))
        assert.isAbove(some, 0)
      })
    )

    it.effect("several networks, and one metric of all, are answered network by network and paged", () =>
      Effect.gen(function* () {
        yield* fresh
        for (const symbol of ["FIL", "AR", "STORJ"]) {
          for (const metric of symbol === "STORJ" ? ["nodes_online"] : ["nodes_online", "price_usd"]) {
            yield* storeDaily(yield* storeSeries({ symbol, metric }), [{ date: "2026-09-04", value: 10 }])
          }
        }
        const shape = ({ data }: { readonly data: Readonly<Record<string, object>> }) =>
          Object.fromEntries(Object.entries(data).map(([symbol, series]) => [symbol, Object.keys(series)]))
        // HNT has no series, FIL is named twice, once in lower case.
        const some = yield* ask({ network: "FIL,AR,fil,HNT" })
        const both = ["nodes_online", "price_usd"]
        assert.deepStrictEqual(shape(some), { HNT: [], AR: both, FIL: both })
        const all = yield* ask({ network: "*", metric: "nodes_online" })
        assert.deepStrictEqual(shape(all), {
          AR: ["nodes_online"],
          FIL: ["nodes_online"],
          STORJ: ["nodes_online"]
        })
        const first = yield* ask({ network: "FIL,AR", limit: 3 })
        assert.deepStrictEqual(shape(first), { AR: both, FIL: ["nodes_online"] })
        const second = yield* ask({ network: "FIL,AR", limit: 3, cursor: first.next_cursor })
        assert.deepStrictEqual(shape(second), { FIL: ["price_usd"] })
        assert.isUndefined(second.next_cursor)
        const refused = (over: Partial<Parameters<typeof history>[0]>) => Effect.flip(ask(over))
        assert.strictEqual((yield* refused({ network: "FIL,NOPE" }))._tag, "UnknownSymbol")
        assert.strictEqual((yield* refused({ network: "*" }))._tag, "BadParameter")
        assert.strictEqual((yield* refused({ network: "FIL,".repeat(51) }))._tag, "BadParameter")
        assert.strictEqual((yield* refused({ network: "FIL," }))._tag, "UnknownSymbol")
      })
    )

    it.effect("gaps stay gaps, whichever days are missing", () =>
      Effect.gen(function* () {
        yield* fresh
        const sql = yield* SqlClient.SqlClient
        const series = yield* storeSeries()
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof history>>>()
        const all = dates(31)
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(
              fc.subarray(all),
              fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 31, maxLength: 31 }),
              (subset, values) =>
                Effect.runPromiseWith(context)(
                  Effect.gen(function* () {
                    yield* sql`truncate daily`
                    const points = subset.map((date) => ({ date, value: values[all.indexOf(date)] ?? 0 }))
                    yield* storeDaily(series, points)
                    const { data } = yield* ask({ days: "31" })
                    const actual = data["FIL"]?.["nodes_online"]
                    assert.deepStrictEqual(
                      actual?.points.map(({ date, value }) => ({ date, value })),
                      points.length === 0 ? undefined : points
                    )
                    assert.deepStrictEqual(
                      [actual?.n_points, actual?.first_date, actual?.last_date],
                      points.length === 0
                        ? [undefined, undefined, undefined]
                        : [points.length, subset[0], subset.at(-1)]
                    )
                  })
                )
            ),
            { numRuns: 40 }
          )
        )
      })
    )

    it.effect("no change is given for fewer than two points, or from 0, and a note says why", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* storeDaily(yield* storeSeries(), [{ date: "2026-09-01", value: 8 }])
        yield* storeDaily(yield* storeSeries({ metric: "TOTAL_NODES" }), [
          { date: "2026-09-01", value: 0 },
          { date: "2026-09-02", value: 5 }
        ])
        yield* storeDaily(yield* storeSeries({ metric: "loss" }), [
          { date: "2026-09-01", value: -4 },
          { date: "2026-09-02", value: -2 }
        ])
        yield* storeDaily(yield* storeSeries({ metric: "huge" }), [
          { date: "2026-09-01", value: 1e-300 },
          { date: "2026-09-02", value: 1e300 }
        ])
        const { data } = yield* ask()
        const of = (metric: string) => [data["FIL"]?.[metric]?.change_pct, data["FIL"]?.[metric]?.note]
        assert.deepStrictEqual(of("nodes_online"), [
          null,
          "The window has fewer than two closed days with a reading, so there is no change."
        ])
        assert.deepStrictEqual(of("TOTAL_NODES"), [
          null,
          "There is no change in percent: the value of 2026-09-01 is 0."
        ])
        assert.deepStrictEqual(of("loss"), [50, undefined])
        assert.strictEqual(of("huge")[0], null)
      })
    )

    it.effect(
      "a change ends at the last closed day, and is of points or none where percents say nothing",
      () =>
        Effect.gen(function* () {
          yield* fresh
          const day = (date: string, value: number) => ({ date: `2026-09-0${date}`, value })
          yield* storeDaily(yield* storeSeries(), [day("1", 20), day("4", 25), day("5", 40)])
          yield* storeDaily(yield* storeSeries({ metric: "share", unit: "percent" }), [
            day("1", 2),
            day("4", 3)
          ])
          yield* storeDaily(yield* storeSeries({ metric: "move_usd", unit: "usd" }), [
            day("1", 1),
            day("2", -1),
            day("4", 3)
          ])
          yield* storeDaily(yield* storeSeries({ metric: "young" }), [day("4", 3), day("5", 4)])
          const series = (yield* ask()).data["FIL"]
          const of = (metric: string) => {
            const { change, change_pct, note } = series?.[metric] ?? {}
            return [change_pct, change?.absolute, change?.to.date, note]
          }
          assert.deepStrictEqual(of("nodes_online"), [25, 5, "2026-09-04", undefined])
          assert.deepStrictEqual(of("share"), [
            null,
            1,
            "2026-09-04",
            "There is no change in percent: percentages are compared in percentage points."
          ])
          assert.deepStrictEqual(of("move_usd"), [
            null,
            2,
            "2026-09-04",
            "There is no change in percent: the series changes its sign."
          ])
          assert.strictEqual(of("young")[0], null)
          assert.isUndefined(series?.["young"]?.change)
          const [earlier] = Object.values(
            (yield* ask({ metric: "young", as_known_at: "2026-09-05T07:00:00Z" })).data
          )
          assert.isUndefined(earlier?.["young"]?.change)
        })
    )

    it.effect("a day of the world is compared at its hour, today with the same hour of a week before", () =>
      Effect.gen(function* () {
        yield* fresh
        const world = { symbol: "FIL", metric: "trains_running", tier: "physical" } as const
        const at = (date: string, time: string, value: number) => ({
          date: `2026-${date}`,
          as_of: `2026-${date}T${time}:00Z`,
          value
        })
        const series = yield* storeSeries(world)
        yield* storeDaily(series, [
          at("08-29", "11:40", 27),
          at("08-30", "23:50", 20),
          at("09-04", "23:45", 25),
          at("09-05", "11:55", 40)
        ])
        const ofTrains = (yield* ask()).data["FIL"]?.["trains_running"]
        assert.deepStrictEqual(
          [ofTrains?.change?.from.date, ofTrains?.change?.to.date, ofTrains?.change_pct],
          ["2026-08-30", "2026-09-04", 25]
        )
        const before = sameHourBefore({ ...world, source: "feed_a", as_of: "2026-09-05T11:55:00Z", days: 7 })
        assert.deepStrictEqual(yield* before, { as_of: "2026-08-29T11:40:00Z", value: 27 })
        const later = { ...world, source: "feed_a", as_of: "2026-09-05T12:15:00Z", days: 7 }
        assert.isUndefined(yield* sameHourBefore(later))
        yield* storeDaily(series, [{ ...at("08-30", "12:00", 20), version: 2 }])
        const other = (yield* ask()).data["FIL"]?.["trains_running"]
        assert.strictEqual(other?.change_pct, null)
        assert.include(other?.note, "of the same hour")
        const sql = yield* SqlClient.SqlClient
        yield* sql`truncate observation`
      })
    )

    it.effect(
      "the window is as many days as asked for, today among them, from the epoch on, as far as the access reaches",
      () =>
        Effect.gen(function* () {
          yield* fresh
          const series = yield* storeSeries()
          yield* storeDaily(series, [
            { date: "2026-08-05", value: 1 },
            ...dates(31).map((date) => ({ date, value: 1 }))
          ])
          const first = Effect.fnUntraced(function* (
            days: string | undefined,
            access = everything as typeof sampled
          ) {
            const response = yield* ask({ days, access })
            const { first_date, n_points } = response.data["FIL"]?.["nodes_online"] ?? {}
            return [response.window_days, first_date, n_points, response.note]
          })
          assert.deepStrictEqual(yield* first("1"), [1, "2026-09-05", 1, undefined])
          assert.deepStrictEqual(yield* first(undefined), [30, "2026-08-07", 30, undefined])
          assert.deepStrictEqual(yield* first("3650"), [3650, "2026-08-06", 31, undefined])
          yield* TestClock.setTime(noon + day)
          assert.deepStrictEqual(yield* first("31", sampled), [
            31,
            "2026-08-08",
            29,
            "days=31: your tier includes 30 days of history."
          ])
          assert.deepStrictEqual((yield* first("31"))[1], "2026-08-07")
        })
    )

    it.effect("a day that is not closed is marked: today, and before 08:00 yesterday", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* storeDaily(
          yield* storeSeries(),
          ["2026-09-03", "2026-09-04", "2026-09-05"].map((date) => ({ date, value: 1 }))
        )
        const open = Effect.fnUntraced(function* (as_known_at?: string) {
          const { data } = yield* ask({ as_known_at })
          return data["FIL"]?.["nodes_online"]?.points.filter(({ open }) => open).map(({ date }) => date)
        })
        assert.deepStrictEqual(yield* open(), ["2026-09-05"])
        // The batch of 4 September was closed at 08:00, after this time.
        const early = "2026-09-05T07:59:59Z"
        assert.deepStrictEqual(yield* open(early), ["2026-09-03", "2026-09-04"])
        yield* closeDay("2026-09-03")
        assert.deepStrictEqual(yield* open(early), ["2026-09-04"])
        const sql = yield* SqlClient.SqlClient
        // A close under way has closed nothing yet.
        yield* sql`update batch set closed_at = null`
        yield* clearRecentDays
        assert.deepStrictEqual(yield* open(), ["2026-09-03", "2026-09-04", "2026-09-05"])
      })
    )

    it.effect("a day is its newest version, and as_known_at the newest of then where readings are gone", () =>
      Effect.gen(function* () {
        yield* fresh
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact ${sql.insert({
          name: "observation_kept_from",
          value: String(Date.UTC(2026, 8, 1))
        })}`
        yield* storeDaily(yield* storeSeries(), [
          { date: "2026-08-30", value: 1 },
          { date: "2026-08-31", value: 5, version: 1, recorded: "2026-08-31T20:00:00Z" },
          { date: "2026-08-31", value: 6, version: 2, recorded: "2026-09-02T09:00:00Z" }
        ])
        const values = Effect.fnUntraced(function* (as_known_at: string | undefined) {
          const response = yield* ask({ as_known_at })
          const series = response.data["FIL"]?.["nodes_online"]
          return [response.as_known_at, series?.points.map(({ value }) => value), series?.uncertain_dates]
        })
        assert.deepStrictEqual(yield* values(undefined), [undefined, [1, 6], undefined])
        assert.deepStrictEqual(yield* values("2026-09-02T09:00:00Z"), [
          "2026-09-02T09:00:00Z",
          [1, 6],
          undefined
        ])
        assert.deepStrictEqual(yield* values("2026-09-02T08:59:59.999Z"), [
          "2026-09-02T08:59:59.999Z",
          [1, 5],
          ["2026-08-31"]
        ])
        assert.deepStrictEqual(yield* values("2026-08-31T08:00:00Z"), [
          "2026-08-31T08:00:00Z",
          [1],
          ["2026-08-31"]
        ])
        for (const as_known_at of ["yesterday", "2026-02-31", "2026-09-05T12:00:00.001Z"]) {
          assert.strictEqual((yield* Effect.flip(ask({ as_known_at })))._tag, "BadParameter")
        }
      })
    )

    it.effect("excluded readings are no points, and their days are named", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* storeDaily(yield* storeSeries(), [
          { date: "2026-09-01", value: 10 },
          { date: "2026-09-02", value: 999, incident: 3 },
          { date: "2026-09-03", value: 11 },
          { date: "2026-09-03", value: 999, incident: 4 },
          // An incident that was closed again: its row stands at no reading.
          { date: "2026-09-04", value: 12 },
          { date: "2026-09-04", value: 12, incident: 4, n: 0 }
        ])
        yield* storeDaily(yield* storeSeries({ metric: "TOTAL_NODES" }), [
          { date: "2026-09-02", value: 1, n: 0, version: 2 },
          { date: "2026-09-02", value: 1, version: 1 },
          { date: "2026-09-02", value: 1, incident: 5 }
        ])
        const response = yield* ask()
        const series = response.data["FIL"]?.["nodes_online"]
        assert.deepStrictEqual(
          series?.points.map(({ value }) => value),
          [10, 11, 12]
        )
        assert.deepStrictEqual(series?.excluded_dates, ["2026-09-02", "2026-09-03"])
        assert.include(series?.note, "2026-09-02, 2026-09-03")
        // Nothing of it is accepted: absent, and said.
        assert.notProperty(response.data["FIL"], "TOTAL_NODES")
        assert.match(response.note ?? "", /TOTAL_NODES.*2026-09-02/)
      })
    )

    it.effect("of two sources the newest answers, or the one asked for; a suppressed one never", () =>
      Effect.gen(function* () {
        yield* fresh
        const [a, b] = [{ source: "feed_a", as_of: new Date(noon - 1) }, { source: "feed_b" }]
        const idA = yield* storeSeries(a)
        const idB = yield* storeSeries(b)
        yield* setSnapshot({ ...latest(a), series: idA }, { ...latest(b), series: idB })
        yield* storeDaily(idA, [{ date: "2026-09-01", value: 1 }])
        yield* storeDaily(idB, [{ date: "2026-09-01", value: 2 }])
        const value = (source?: string) =>
          Effect.map(ask({ source }), ({ data }) => data["FIL"]?.["nodes_online"]?.points[0]?.value)
        assert.strictEqual(yield* value(), 2)
        assert.strictEqual(yield* value("feed_a"), 1)
        // Known, and without this metric of this network.
        assert.isUndefined(yield* value("feed_m"))
        const unknown = yield* Effect.flip(ask({ source: "feed_c" }))
        assert.deepInclude(unknown, {
          _tag: "BadParameter",
          field: "source",
          valid_values: ["feed_a", "feed_b"]
        })
        const withheld = { symbol: "AKT", metric: "volume_24h_usd", source: "akash_console" }
        yield* storeDaily(yield* storeSeries(withheld), [{ date: "2026-09-01", value: 0 }])
        assert.deepStrictEqual((yield* ask({ network: "AKT" })).data, { AKT: {} })
      })
    )

    it.effect("pages hold whole series, as many as fit a bounded answer", () =>
      Effect.gen(function* () {
        yield* fresh
        const names = Array.from({ length: 25 }, (_, n) => `metric_${String(n).padStart(2, "0")}`)
        for (const metric of names) {
          yield* storeDaily(yield* storeSeries({ metric }), [{ date: "2026-09-01", value: 1 }])
        }
        const first = yield* ask({ limit: "10" })
        assert.deepStrictEqual(Object.keys(first.data["FIL"] ?? {}), names.slice(0, 10))
        assert.strictEqual(first.next_cursor, "metric_09")
        const last = yield* ask({ limit: 100, cursor: first.next_cursor })
        assert.deepStrictEqual(Object.keys(last.data["FIL"] ?? {}), names.slice(10))
        assert.isUndefined(last.next_cursor)
        // Five years on, 20,000 days are ten series.
        yield* TestClock.setTime(noon + 5 * 365 * day)
        const wide = yield* ask({ days: "3650" })
        assert.strictEqual(wide.next_cursor, "metric_09")
      })
    )

    it.effect("what cannot be asked is refused by name", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* storeSeries({ metric: "of_an_old_feed" })
        const refusal = (over: Parameters<typeof ask>[0]) =>
          Effect.flip(ask(over).pipe(Effect.catchTag("SqlError", Effect.die)))
        assert.strictEqual((yield* refusal({ network: undefined })).field, "network")
        for (const network of ["SN129", "SN01", "FILX"]) {
          assert.strictEqual((yield* refusal({ network }))._tag, "UnknownSymbol")
        }
        for (const days of ["0", "3651", "-1", "1.5", "ten", "", " 5", "1e3", "999999999999999999"]) {
          const error = yield* refusal({ days })
          assert.deepStrictEqual([error._tag, error.field], ["BadParameter", "days"])
          assert.include(error.message, "3650")
        }
        const unknown = yield* refusal({ metric: "nodes" })
        assert.strictEqual(unknown.field, "metric")
        if (unknown._tag !== "BadParameter") return assert.fail("a metric is a parameter")
        // Those of the network first, then those of every feed.
        assert.deepStrictEqual(unknown.valid_values, [
          "of_an_old_feed",
          "TOTAL_NODES",
          "ais_vessels_tracked",
          "fees_24h_usd",
          "gps_interference_days",
          "gps_interference_first_day",
          "nodes_country_*",
          "nodes_online",
          "price_usd"
        ])
        assert.strictEqual((yield* refusal({ metric: "constructor" })).field, "metric")
        // Declared and not measured: no refusal, no data.
        assert.deepStrictEqual((yield* ask({ metric: "price_usd" })).data, { FIL: {} })
        assert.deepStrictEqual((yield* ask({ metric: "nodes_country_FR" })).data, { FIL: {} })
        assert.strictEqual((yield* refusal({ metric: "nodes_country_XX" })).field, "metric")
        assert.deepStrictEqual((yield* ask({ network: "SN128" })).data, { SN128: {} })
      })
    )
  })
})
