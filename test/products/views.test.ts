/** The views over time on a small history whose figures were worked out by hand or stand in the literature. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as DataClock from "../../core/clock/DataClock.ts"
import { payloadOf, ReadyPayload } from "../../core/credits/payload.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { sold } from "../../core/products/build.ts"
import { dailyChanges } from "../../core/products/changes/build.ts"
import { Changes } from "../../core/products/changes/definition.ts"
import { compare } from "../../core/products/compare/build.ts"
import { Compare } from "../../core/products/compare/definition.ts"
import { dailyCorrelations } from "../../core/products/correlations/build.ts"
import { Correlations } from "../../core/products/correlations/definition.ts"
import { credited } from "../../core/products/credited.ts"
import history, { depinHistory } from "../../core/products/depin_history/build.ts"
import { DepinHistory } from "../../core/products/depin_history/definition.ts"
import { PayloadFiles } from "../../core/products/depin_history/PayloadFiles.ts"
import { digest } from "../../core/products/digest/build.ts"
import { Digest } from "../../core/products/digest/definition.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { RecentDays } from "../../core/readings/read/RecentDays.ts"
import { onBothEngines } from "../support/database.ts"
import {
  day,
  latest,
  noon,
  sealRows,
  servicesOn,
  setSnapshot,
  storeDaily,
  storeSeries
} from "../support/views.ts"

const clear = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Batches keep counting: what is sealed is remembered until the next.
  yield* sql`truncate daily, series, batch cascade`
  yield* sql`
    insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
    values ('2026-09-04', ${new Date(noon)}, 'test', ${new Date(noon)}, ${new Date(noon)})`
  yield* setSnapshot()
  yield* TestClock.setTime(noon)
})

/** Puts all there is into the batch: what comes for the same day is a later version. */
const sealed = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(sql<{ id: number }>`select max(id) as id from batch`, ([batch]) => sealRows(batch?.id ?? 0))
)

/** Daily readings of one series: days of September 2026 to values. */
const stored = Effect.fnUntraced(function* (
  symbol: string,
  metric: string,
  values: Readonly<Record<string, number>>
) {
  const series = yield* storeSeries({ symbol, metric, unit: "usd", tier: "market", source: "feed_m" })
  yield* storeDaily(
    series,
    Object.entries(values).map(([date, value]) => ({ date: `2026-09-${date}`, value }))
  )
  return series
})

const strict = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: unknown) =>
  assert.strictEqual(Schema.decodeUnknownExit(schema, { onExcessProperty: "error" })(value)._tag, "Success")

onBothEngines("views over time", (database) => {
  layer(servicesOn(database))((it) => {
    it.effect("compare ranks what is live and shares it out", () =>
      Effect.gen(function* () {
        yield* clear
        yield* setSnapshot(
          latest({ symbol: "STORJ", value: 30 }),
          latest({ symbol: "FIL", value: 60 }),
          latest({ symbol: "AKT", value: 30 }),
          latest({ symbol: "SN1", value: 500, as_of: new Date(noon - 7 * day) })
        )
        const response = yield* compare("nodes_online")
        strict(Compare, response)
        assert.deepStrictEqual(
          response.rows.map(({ rank, share_of_total, symbol }) => [rank, symbol, share_of_total]),
          [
            [1, "FIL", 0.5],
            [2, "AKT", 0.25],
            [2, "STORJ", 0.25]
          ]
        )
        assert.deepStrictEqual([response.n_networks, response.median, response.missing_fields], [3, 30, []])
        yield* setSnapshot(latest({ symbol: "FIL", value: 3 }), latest({ symbol: "AKT", value: -1 }))
        const signed = yield* compare("nodes_online")
        assert.deepStrictEqual([signed.median, signed.rows[0]?.share_of_total], [1, null])
        yield* setSnapshot(latest({ symbol: "FIL", value: 0 }))
        assert.deepStrictEqual((yield* compare("nodes_online")).rows[0]?.share_of_total, null)
        const none = yield* compare("TOTAL_NODES")
        assert.deepStrictEqual([none.rows, none.median, none.missing_fields], [[], null, ["TOTAL_NODES"]])
        for (const metric of [undefined, "nothing"]) {
          const refused = yield* Effect.flip(compare(metric))
          assert.strictEqual(refused.field, "metric")
        }
      })
    )

    it.effect("changes are of the two newest days, where they follow each other", () =>
      Effect.gen(function* () {
        yield* clear
        const fil = yield* stored("FIL", "price_usd", { "03": 10, "04": 12 })
        yield* stored("STORJ", "price_usd", { "03": 9, "04": 4, "05": 3 })
        yield* stored("AKT", "price_usd", { "03": 1, "05": 2 })
        yield* stored("SN1", "price_usd", { "04": 0, "05": 5 })
        yield* stored("FIL", "fees_24h_usd", { "04": 0.5, "05": 0 })
        yield* stored("FIL", "price_ath_usd", { "04": 1, "05": 9 })
        yield* sealed
        // Excluded by an incident, and a later version of a day.
        yield* storeDaily(fil, [
          { date: "2026-09-05", value: 99, incident: 1 },
          { date: "2026-09-04", value: 15, version: 2 }
        ])
        const response = yield* dailyChanges
        strict(Changes, response)
        assert.deepStrictEqual(
          response.changes.map(({ change_pct, from_value, metric, symbol, to_date, to_value }) => [
            symbol,
            metric,
            to_date,
            from_value,
            to_value,
            change_pct
          ]),
          [
            ["FIL", "fees_24h_usd", "2026-09-05", 0.5, 0, -100],
            ["FIL", "price_usd", "2026-09-04", 10, 15, 50],
            ["STORJ", "price_usd", "2026-09-05", 4, 3, -25]
          ]
        )
        assert.deepStrictEqual([response.n_compared, response.n_left_out], [3, 0])
        assert.deepStrictEqual(
          response.changes.map(({ open }) => open),
          [true, undefined, true]
        )
      })
    )

    it.effect("lists over time leave out no row", () =>
      Effect.gen(function* () {
        yield* clear
        // Sixty-one networks, one more than are compared: their last day makes more pairs and changes than a page.
        const days = Array.from({ length: 15 }, (_, n) => String(n + 1).padStart(2, "0"))
        yield* TestClock.setTime(noon + 10 * day)
        for (let n = 0; n <= 60; n++) {
          for (const metric of ["price_usd", "market_cap_usd", "volume_24h_usd", "tvl_usd"]) {
            yield* stored(
              `SN${n}`,
              metric,
              Object.fromEntries(days.map((date, at) => [date, 100 + (((n + 3) * (at + 1) ** 2) % 17)]))
            )
          }
        }
        const { changes, n_compared, n_left_out } = yield* dailyChanges
        assert.deepStrictEqual([changes.length, n_compared, n_left_out], [244, 244, 0])
        const response = yield* dailyCorrelations
        strict(Correlations, response)
        assert.deepStrictEqual([response.n_networks, response.n_left_out], [60, 1])
        assert.strictEqual(response.correlations.length, response.n_tests)
        assert.isAbove(response.n_tests, 1000)
        const named = new Set(response.networks.map(({ symbol }) => symbol))
        for (const { a, b } of response.correlations) assert.isTrue(named.has(a) && named.has(b))
        assert.deepInclude(response.networks[0], {
          source: "feed_m",
          n_days: 15,
          as_of: "2026-09-15T10:00:00Z"
        })
      })
    )

    it.effect("the digest counts what is live and takes the largest changes", () =>
      Effect.gen(function* () {
        yield* clear
        yield* setSnapshot(
          latest({ symbol: "FIL", value: 5 }),
          latest({ symbol: "FIL", metric: "TOTAL_NODES", value: 9 }),
          latest({ symbol: "AKT", metric: "market_cap_usd", value: 100 }),
          latest({ symbol: "AKT", metric: "fully_diluted_valuation_usd", value: 120 }),
          latest({ symbol: "STORJ", as_of: new Date(noon - 8 * day) })
        )
        for (let n = 0; n < 12; n++) {
          yield* stored(`SN${n}`, "holders_count", { "03": 100, "04": 101 + n })
        }
        // A day that is not over, and a base so small that one more is many percent; a price has no such base.
        yield* stored("AR", "holders_count", { "04": 100, "05": 900 })
        yield* stored("GLM", "tvl_usd", { "03": 19, "04": 90 })
        yield* stored("HNT", "price_usd", { "03": 2, "04": 3 })
        yield* sealed
        const response = yield* digest
        strict(Digest, response)
        assert.deepStrictEqual([response.n_networks, response.n_series], [2, 4])
        assert.deepStrictEqual(
          response.movers.map(({ change_pct }) => Math.round(change_pct)),
          [50, 12, 11, 10, 9, 8, 7, 6, 5, 4]
        )
        assert.strictEqual(
          Object.values(response.dilution_classes).reduce((sum, n) => sum + n, 0),
          1
        )
        assert.deepStrictEqual(response.development, { n_active: 0, n_dormant: 0 })
        assert.isTrue(response.sector_health.every(({ health_index }) => health_index === null))
      })
    )

    it.effect("correlations are those of R's cor.test and p.adjust on mtcars", () =>
      Effect.gen(function* () {
        yield* clear
        yield* TestClock.setTime(Date.UTC(2026, 9, 1, 12))
        const columns = {
          FIL: [
            21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 17.8, 16.4, 17.3, 15.2, 10.4, 10.4, 14.7,
            32.4, 30.4, 33.9, 21.5, 15.5, 15.2, 13.3, 19.2, 27.3, 26, 30.4, 15.8, 19.7, 15, 21.4
          ],
          STORJ: [
            2.62, 2.875, 2.32, 3.215, 3.44, 3.46, 3.57, 3.19, 3.15, 3.44, 3.44, 4.07, 3.73, 3.78, 5.25, 5.424,
            5.345, 2.2, 1.615, 1.835, 2.465, 3.52, 3.435, 3.84, 3.845, 1.935, 2.14, 1.513, 3.17, 2.77, 3.57,
            2.78
          ],
          AKT: [
            110, 110, 93, 110, 175, 105, 245, 62, 95, 123, 123, 180, 180, 180, 205, 215, 230, 66, 52, 65, 97,
            150, 150, 245, 175, 66, 91, 113, 264, 175, 335, 109
          ],
          SN1: Array.from({ length: 32 }, () => 0)
        }
        const first = Date.UTC(2026, 7, 20)
        const date = (n: number) => new Date(first + n * day).toISOString().slice(0, 10)
        for (const [symbol, moves] of Object.entries(columns)) {
          let log = 0
          const prices = [0, ...moves].map((move) => {
            log += move / 1000
            return Math.exp(log)
          })
          const series = yield* storeSeries({ symbol, metric: "price_usd", tier: "market" })
          yield* storeDaily(
            series,
            prices.map((value, n) => ({ date: date(n), value }))
          )
        }
        // Thirteen changes are too few, and thirteen more after a gap do not make them one stretch.
        const short = yield* storeSeries({ symbol: "SN2", metric: "price_usd", tier: "market" })
        yield* storeDaily(
          short,
          Array.from({ length: 14 }, (_, n) => ({ date: date(n), value: 1 + n }))
        )
        const response = yield* dailyCorrelations
        strict(Correlations, response)
        assert.deepStrictEqual([response.n_networks, response.n_tests], [4, 3])
        const expected = [
          ["FIL", "STORJ", -0.8676594, 1.294e-10, 3.882e-10],
          ["AKT", "FIL", -0.7761684, 1.788e-7, 2.682e-7],
          ["AKT", "STORJ", 0.6587479, 4.146e-5, 4.146e-5]
        ] as const
        for (const [n, [a, b, r, p, q]] of expected.entries()) {
          const row = response.correlations[n]
          assert.deepStrictEqual([row?.a, row?.b, row?.n], [a, b, 32])
          assert.closeTo(row?.r ?? Number.NaN, r, 5e-8)
          assert.closeTo((row?.p ?? Number.NaN) / p, 1, 1e-3)
          assert.closeTo((row?.q ?? Number.NaN) / q, 1, 1e-3)
        }
        yield* clear
        const nothing = yield* dailyCorrelations
        assert.deepStrictEqual([nothing.correlations, nothing.networks, nothing.n_tests], [[], [], 0])
      })
    )

    it.effect(
      "depin_history is made once for all buyers, until a closed day is revised or the file is away",
      () =>
        Effect.gen(function* () {
          yield* clear
          const fil = yield* stored("FIL", "nodes_online", { "01": 7, "03": 8, "05": 9 })
          yield* stored("RENDER", "registered_gpu_count", { "02": 2 })
          yield* sealed
          const files = new Map<string, Uint8Array>()
          let puts = 0
          const product = yield* Effect.provideService(history.sale, PayloadFiles, {
            put: (sha256, bytes) =>
              Effect.sync(() => {
                puts++
                files.set(sha256, bytes)
              }),
            get: (sha256) => Effect.sync(() => files.get(sha256))
          })
          const build = Effect.map(product.build({ id: "pur_test", inputs: {} }), (payload) => {
            assert.instanceOf(payload, ReadyPayload)
            return payload
          })
          const first = yield* build
          assert.strictEqual(first.sha256, sha256(first.bytes))
          const payload = JSON.parse(new TextDecoder().decode(first.bytes))
          strict(DepinHistory, payload)
          const { generated_utc: _, ...now } = yield* Effect.flatMap(depinHistory(), credited)
          assert.strictEqual(canonical(payload), canonical({ ...now, generated_utc: payload.generated_utc }))
          assert.strictEqual((yield* payloadOf(first)).sha256, first.sha256)
          assert.deepInclude(payload, { n_series: 2, n_points: 3, to: "2026-09-04" })
          const covers = (inputs: Readonly<Record<string, unknown>>) =>
            product.covers?.({ inputs }) ?? Effect.die(new Error("it says what it covers"))
          assert.deepInclude(yield* covers({}), { first_day: "2026-08-06", last_day: "2026-09-04" })
          assert.deepInclude(yield* covers({ network: "FIL", days: 2 }), {
            networks: 1,
            series: 1,
            last_day: "2026-09-05"
          })

          yield* TestClock.adjust("1 minute")
          assert.strictEqual((yield* build).sha256, first.sha256)
          assert.strictEqual(puts, 1)
          const recent = yield* RecentDays
          const revise = (date: string, value: number) =>
            recent.apply({
              days: [
                {
                  series: fil,
                  date,
                  incident: 0,
                  version: 2,
                  value,
                  value_text: null,
                  n_observations: 1,
                  as_of: new Date(`${date}T11:00:00Z`),
                  verify_url: "https://stats.example.net/v1/nodes",
                  simulated: false,
                  by_definition: null
                }
              ]
            })
          yield* revise("2026-09-05", 10)
          assert.strictEqual((yield* build).sha256, first.sha256, "today is not delivered")
          yield* revise("2026-09-03", 8.5)
          const revised = yield* build
          assert.include(new TextDecoder().decode(revised.bytes), "[7,8.5]")
          files.clear()
          assert.include(new TextDecoder().decode((yield* build).bytes), "[7,8.5]")
          assert.strictEqual(puts, 3)
          const today = yield* product.build({ id: "pur_test", inputs: { days: 2 } })
          assert.instanceOf(today, ReadyPayload)
          const { generated_utc: __, ...two } = yield* depinHistory({ days: 2 })
          assert.strictEqual(
            new TextDecoder().decode((today as ReadyPayload).bytes),
            canonical({ ...two, generated_utc: isoTime(yield* DataClock.now) })
          )
        })
    )

    it.effect("depin_history has the days that were read, and no other", () =>
      Effect.gen(function* () {
        yield* clear
        const fil = yield* stored("FIL", "nodes_online", { "01": 7, "03": 0, "05": 9 })
        yield* sealed
        yield* storeDaily(fil, [
          { date: "2026-09-03", value: 8, version: 2 },
          { date: "2026-09-04", value: 1, incident: 1 },
          { date: "2026-08-30", value: 3, n: 0 }
        ])
        yield* stored("FIL", "unlisted", { "05": 1 })
        yield* stored("STORJ", "price_usd", { "05": 0 })
        yield* stored("RENDER", "registered_gpu_count", { "05": 2 })
        const closed = yield* depinHistory()
        strict(DepinHistory, closed)
        // 4 September is the last closed day, and its reading is excluded.
        assert.deepStrictEqual(
          closed.series.map(({ dates, metric, symbol, values }) => [symbol, metric, dates, values]),
          [["FIL", "nodes_online", ["2026-09-01", "2026-09-03"], [7, 8]]]
        )
        assert.deepStrictEqual([closed.from, closed.to], ["2026-08-06", "2026-09-04"])
        const response = yield* depinHistory({ days: 3650 })
        strict(DepinHistory, response)
        assert.deepStrictEqual(
          response.series.map(({ dates, metric, symbol, values }) => [symbol, metric, dates, values]),
          [
            ["FIL", "nodes_online", ["2026-09-01", "2026-09-03", "2026-09-05"], [7, 8, 9]],
            ["RENDER", "registered_gpu_count", ["2026-09-05"], [2]],
            ["STORJ", "price_usd", ["2026-09-05"], [0]]
          ]
        )
        assert.deepStrictEqual(
          [response.n_series, response.n_points, response.from, response.to],
          [3, 5, "2026-08-06", "2026-09-05"]
        )
        const names = (inputs: Readonly<Record<string, unknown>>) =>
          Effect.map(depinHistory(inputs), ({ series }) => series.map(({ metric }) => metric))
        assert.deepStrictEqual(yield* names({ network: "FIL" }), ["nodes_online"])
        assert.deepStrictEqual(yield* names({ network: "FIL", days: 3650 }), ["nodes_online", "unlisted"])
        assert.deepStrictEqual(yield* names({ metric: "price_usd", days: 2 }), ["price_usd"])
        assert.deepStrictEqual(yield* names({ metric: "price_usd" }), [], "of today only")
        const every = ["nodes_online", "unlisted", "registered_gpu_count", "price_usd"]
        assert.deepStrictEqual(yield* names({ days: 31 }), every)
        assert.deepStrictEqual(
          yield* names({ days: 32 }),
          every.filter((name) => name !== "unlisted")
        )
        assert.deepStrictEqual(yield* names({ network: "FIL", metric: "price_usd" }), [])
        const short = yield* depinHistory({ network: "FIL", metric: "nodes_online", days: 3 })
        assert.deepStrictEqual(short.series[0]?.values, [8, 9])
        // 4 September is the last closed day.
        assert.strictEqual(short.series[0]?.open_from, "2026-09-05")
        const now = yield* depinHistory({ network: "FIL", metric: "nodes_online", days: 1 })
        assert.deepStrictEqual(now.series[0]?.dates, ["2026-09-05"])
        assert.deepStrictEqual((yield* depinHistory({ days: "2" })).from, "2026-09-04")

        const product = yield* sold({ key: "depin_history" }, ({ inputs }) => depinHistory(inputs), {
          holds: ({ series }) => series.length > 0
        })
        const refused = (inputs: Readonly<Record<string, unknown>>) =>
          Effect.flip(product.build({ id: "pur_test", inputs }))
        assert.strictEqual((yield* refused({ network: "FILX" }))._tag, "UnknownSymbol")
        for (const [field, value] of [
          ["network", 7],
          ["metric", "nothing"],
          ["metric", null],
          ["days", 0],
          ["days", 3651],
          ["days", 1.5],
          ["days", "x"],
          ["days", {}]
        ] as const) {
          const error = yield* refused({ [field]: value })
          assert.strictEqual(error._tag, "BadParameter", `${field} ${value}`)
          assert.strictEqual("field" in error ? error.field : "", field)
        }
        assert.strictEqual((yield* refused({ network: "AKT" }))._tag, "ProductUnavailable")
      })
    )
  })
})
