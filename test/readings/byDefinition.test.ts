/** A zero that a definition states and nobody counted is served as 0 with the mark, and counts in nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { EventLog } from "../../core/events/EventLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { attest } from "../../core/log/record/attest.ts"
import { query } from "../../core/log/record/query.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { isoTime, type Observation } from "../../core/plugin/Value.ts"
import { revenueSnapshot } from "../../core/products/depin_revenue_snapshot/build.ts"
import { takeMethods } from "../../core/readings/ingest/compare/methodChanges.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { categoryFigures } from "../../core/readings/read/category.ts"
import { dataDictionary } from "../../core/readings/read/dataDictionary.ts"
import { HistoryCoverage } from "../../core/readings/read/HistoryCoverage.ts"
import { history } from "../../core/readings/read/history.ts"
import { ProvedSeries } from "../../core/readings/read/ProvedSeries.ts"
import { profile } from "../../core/readings/read/profile.ts"
import { revenue } from "../../core/readings/read/revenue.ts"
import { symbols } from "../../core/readings/read/symbols.ts"
import defillama from "../../plugins/defillama/index.ts"
import { ranges } from "../../runtime/commands/ranges.ts"
import { accountOf, alerting, crossingsOf, fresh, hour, look, newAlert, start } from "../support/alerts.ts"
import { onBothEngines } from "../support/database.ts"
import { layerPermitted } from "../support/permissions.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const day = 24 * hour
const all = { breadth: "all", historyDays: null, note: "Everything." } as const
const manifest: Manifest = defillama.manifest

const fee = (symbol: string, metric: string, value: number, time: number): Observation => ({
  symbol,
  metric,
  value,
  unit: "usd",
  source: "defillama_fees",
  verify_url: `https://defillama.com/protocol/${symbol.toLowerCase()}`,
  as_of: isoTime(time)
})

const spans = ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd"] as const

/** Fees of a network over a day, a week and a month; undefined where the answer has none. */
const fees = (symbol: string, time: number, ...values: ReadonlyArray<number | undefined>) =>
  spans.flatMap((metric, n) => {
    const value = values[n]
    return value === undefined ? [] : [fee(symbol, metric, value, time)]
  })

const read = Effect.fnUntraced(function* (time: number, ...rows: ReadonlyArray<ReadonlyArray<Observation>>) {
  yield* TestClock.setTime(time)
  yield* (yield* Ingest).write(Runs.delivery(time, rows.flat(), "defillama"))
})

/** Helium by a fixed date, Aleph beside a week that is not 0, Akash really without fees, Storj with some. */
const everyKind = (time: number) =>
  read(
    time,
    fees("HNT", time, 0, 0, 0),
    fees("ALEPH", time, 0, 423.07, 6011.48),
    fees("AKT", time, 0, 0, 0),
    fees("STORJ", time, 10, 70, 300)
  )

onBothEngines("a zero by definition", (database) => {
  layer(alerting(database, [manifest]).pipe(Layer.provide(layerPermitted(["defillama"], ["show"]))), {
    excludeTestServices: false
  })((it) => {
    it.effect("is served as 0, with the mark, the reason and the method", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* everyKind(start)
        const { call } = yield* Service
        const rows = json(yield* call({ path: "/v1/network/HNT" }))
        const helium = JSON.stringify(rows)
        assert.include(helium, "DefiLlama/dimension-adapters, version not stated, read 2026-11-28")
        const marked = (yield* revenue()).map((row) => [
          row.symbol,
          row.fees_24h_usd,
          row.by_definition === true,
          row.source_method?.startsWith("DefiLlama/dimension-adapters") === true
        ])
        assert.deepStrictEqual(marked, [
          ["AKT", 0, false, true],
          ["ALEPH", 0, true, true],
          ["HNT", 0, true, true],
          ["STORJ", 10, false, true]
        ])
        const [, aleph, hnt] = yield* revenue()
        assert.strictEqual(aleph?.by_definition_reason, "fees_24h_usd: 0 beside 423.07 usd of fees_7d_usd")
        assert.include(hnt?.by_definition_reason ?? "", "fees_30d_usd: 0 by a fixed date in the adapter")
        const { data } = yield* history({ access: all, network: "HNT", metric: "fees_24h_usd", days: 3 })
        assert.include(data["HNT"]?.["fees_24h_usd"]?.points[0], { value: 0, by_definition: true })
      })
    )

    it.effect("is marked before its run is stored, and stays so when the values are read again", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* TestClock.setTime(start)
        const rows = fees("ALEPH", start, 0, 423.07, 6011.48)
        const { bodies, run } = Runs.delivery(start, rows, "defillama")
        yield* (yield* Ingest).preview({ bodies, run: { ...run, simulated: true } })
        const marks = Effect.map(revenue(), (all) => all.map((row) => [row.fees_24h_usd, row.by_definition]))
        assert.deepStrictEqual(yield* marks, [[0, true]])
        yield* (yield* Current).reload
        assert.deepStrictEqual(yield* marks, [[0, true]])
      })
    )

    it.effect("is marked where nothing of a longer time came with it", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* read(start, fees("AKT", start, 0))
        assert.deepInclude((yield* revenue())[0], {
          fees_24h_usd: 0,
          by_definition: true,
          by_definition_reason: "fees_24h_usd: 0 with no fees_7d_usd or fees_30d_usd beside it"
        })
      })
    )

    it.effect("counts in no sum, rank, category, product or coverage", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* everyKind(start)
        const { left_out = [], networks, totals } = yield* revenueSnapshot
        assert.deepStrictEqual(totals["fees_24h_usd"], { usd: 10, n_networks: 2 })
        assert.deepStrictEqual(
          networks.map(({ fees_24h_usd, missing_fields, symbol }) => [
            symbol,
            fees_24h_usd,
            missing_fields.includes("fees_24h_usd")
          ]),
          [
            ["AKT", 0, false],
            ["ALEPH", null, true],
            ["HNT", null, true],
            ["STORJ", 10, false]
          ]
        )
        assert.deepStrictEqual(
          left_out.map(({ metric, reason, symbol }) => [symbol, metric, reason]),
          [
            ["ALEPH", "fees_24h_usd", "by_definition"],
            ...spans.toSorted().map((metric) => ["HNT", metric, "by_definition"])
          ]
        )
        const ranked = yield* query({ metrics: ["fees_24h_usd"], aggregates: ["latest", "rank"] }, all)
        assert.deepStrictEqual(
          ranked.rows.map(({ rank, symbol, value }) => [symbol, value, rank]),
          [
            ["AKT", 0, 2],
            ["ALEPH", 0, undefined],
            ["HNT", 0, undefined],
            ["STORJ", 10, 1]
          ]
        )
        const storage = (yield* categoryFigures("compute")).find(({ metric }) => metric === "fees_24h_usd")
        assert.deepStrictEqual(
          storage?.counted.map(({ row }) => row.symbol),
          ["AKT"]
        )
        assert.deepStrictEqual(storage?.missing, ["ALEPH"])
        const series = new Map(
          (yield* symbols()).symbols.map(
            (row) => [row.symbol, [row.live_series, row.telemetry_tier]] as const
          )
        )
        assert.deepStrictEqual(series.get("HNT"), [0, "catalog_only"])
        assert.deepStrictEqual(series.get("AKT"), [3, "market_only"])
        assert.isUndefined((yield* profile("HNT")).headline)
      })
    )

    it.effect(
      "does not begin a change, and is neither a lowest value nor part of the depth of its feed",
      () =>
        Effect.gen(function* () {
          yield* fresh
          yield* read(start, fees("ALEPH", start, 0, 423, 6000))
          yield* read(start + day, fees("ALEPH", start + day, 50, 423, 6000))
          yield* (yield* DailyClose).run
          const { data } = yield* history({ access: all, network: "ALEPH", metric: "fees_24h_usd", days: 9 })
          assert.deepStrictEqual(
            data["ALEPH"]?.["fees_24h_usd"]?.points.map(({ by_definition, value }) => [value, by_definition]),
            [
              [0, true],
              [50, undefined]
            ]
          )
          assert.isNull(data["ALEPH"]?.["fees_24h_usd"]?.change_pct)
          const lowest = (yield* ranges).find(({ metric }) => metric === "fees_24h_usd")
          assert.deepInclude(lowest, { low: 50, high: 50 })
          const sql = yield* SqlClient.SqlClient
          yield* sql`delete from daily where series in (select id from series where metric <> 'fees_24h_usd')`
          const coverage = yield* HistoryCoverage
          yield* coverage.refresh
          assert.deepInclude((yield* coverage.byFeed).get("defillama"), { days: 1 })
        }).pipe(Effect.provide(HistoryCoverage.layer))
    )

    it.effect("is below nothing to an alert", () =>
      Effect.gen(function* () {
        yield* fresh
        const { ask } = yield* accountOf("agent")
        const about = { metric: "fees_24h_usd", condition: { kind: "below", value: 5 } }
        const helium = yield* newAlert(ask, { symbol: "HNT", ...about })
        const akash = yield* newAlert(ask, { symbol: "AKT", ...about })
        yield* everyKind(start)
        yield* look
        assert.isEmpty(yield* crossingsOf(ask, helium.id))
        assert.lengthOf(yield* crossingsOf(ask, akash.id), 1)
      })
    )

    it.effect("is marked in days that were stored before the code knew of it", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* everyKind(start)
        const sql = yield* SqlClient.SqlClient
        const before = yield* sql`select series, day::text, reason from defined_zero order by 1, 2`
        yield* sql`delete from defined_zero`
        yield* takeMethods(manifest)
        const after = yield* sql`select series, day::text, reason from defined_zero order by 1, 2`
        assert.deepStrictEqual(after, before)
        assert.isTrue((yield* revenue())[2]?.by_definition)
      })
    )

    it.effect("stands in the data dictionary with the method that states it", () =>
      Effect.gen(function* () {
        const { feeds } = yield* dataDictionary
        const methods = feeds.find(({ feed }) => feed === "defillama")?.methods
        const { defillama_fees = "", defillama_tvl = "" } = methods ?? {}
        assert.include(
          defillama_fees,
          "DefiLlama/dimension-adapters, version not stated, read 2026-11-28; https://"
        )
        assert.include(defillama_fees, "of HNT are 0 from 2026-01-02 on by a fixed date in the adapter")
        assert.include(defillama_tvl, "DefiLlama/DefiLlama-Adapters, version not stated")
      }).pipe(Effect.provide([HistoryCoverage.layer, ProvedSeries.layer]))
    )
  })

  // A log of its own: its documents outlive what `fresh` clears.
  layer(alerting(database, [manifest]), { excludeTestServices: false })((it) => {
    it.effect("is proved by the leaf that a 0 always had, and the answer beside it says what it is", () =>
      Effect.gen(function* () {
        yield* fresh
        yield* everyKind(start)
        yield* TestClock.setTime(start + day)
        yield* (yield* DailyClose).run
        const of = { symbol: "HNT", metric: "fees_24h_usd", date: isoTime(start).slice(0, 10) }
        const proved = yield* attest(of)
        assert.notInclude(proved.leaf, "definition")
        assert.include(proved.value, { value: 0, by_definition: true })
      })
    )

    it.effect("follows a method whose change is an event", () =>
      Effect.gen(function* () {
        const { defillama_fees, ...others } = manifest.methods ?? {}
        assert.isDefined(defillama_fees)
        if (defillama_fees === undefined) return
        yield* takeMethods(manifest)
        yield* takeMethods({
          ...manifest,
          methods: { ...others, defillama_fees: { ...defillama_fees, version: "9b5e998" } }
        })
        yield* (yield* EventLog).run
        const { call } = yield* Service
        const { events } = json(yield* call({ path: "/v1/events?kind=method_changed" }))
        const [only, ...more] = events as ReadonlyArray<{ readonly data: { readonly method: object } }>
        assert.isEmpty(more)
        assert.deepInclude(only?.data.method, { source: "defillama_fees" })
        assert.include(JSON.stringify(only), "version not stated")
        assert.include(JSON.stringify(only), "version 9b5e998")
      })
    )
  })
})
