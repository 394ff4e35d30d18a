import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { dataDictionary } from "../../../core/readings/read/dataDictionary.ts"
import { HistoryCoverage } from "../../../core/readings/read/HistoryCoverage.ts"
import { healthData } from "../../../core/readings/read/health.ts"
import { ProvedSeries } from "../../../core/readings/read/ProvedSeries.ts"
import { DataDictionaryResponse } from "../../../core/wire/data/dataDictionary.ts"
import type { FeedState } from "../../../core/wire/data/feedState.ts"
import { HealthData } from "../../../core/wire/data/health.ts"
import { onBothEngines } from "../../support/database.ts"
import {
  day,
  feeds,
  hour,
  latest,
  manifests,
  noon,
  servicesOn,
  setSnapshot,
  storeDaily,
  storeSeries
} from "../../support/views.ts"

const state: FeedState = {
  plugin: "telemetry",
  state: "open",
  reason: "three failures",
  last_started: "2026-09-05T11:00:00Z",
  last_success: "2026-09-05T10:00:00Z",
  last_failure: "2026-09-05T11:00:01Z",
  last_error: "stats.example.net: 503",
  next_run: "2026-09-05T13:00:00Z",
  runs: 9,
  failures: 3
}

onBothEngines("the data dictionary", (database) => {
  layer(
    Layer.merge(HistoryCoverage.layer, ProvedSeries.layer).pipe(Layer.provideMerge(servicesOn(database)))
  )((it) => {
    const withState = Effect.provide(feeds(new Map([["telemetry", state]])))

    it.effect("a feed says which metrics it gave once, and that its source should be read again", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot()
        const { feeds: entries } = yield* Effect.provide(
          dataDictionary,
          Layer.succeed(
            Feeds,
            Feeds.of({
              manifests: manifests.map((manifest) => ({
                ...manifest,
                evidence: [{ source: "acme/api@30a4d61 a.ts", read: "2025-01-01", members: ["nodes"] }],
                ended: { nodes_total: "It counted nodes of test networks." }
              })),
              states: Effect.succeed(new Map())
            })
          )
        )
        for (const entry of entries) {
          assert.isTrue(entry.evidence_due)
          assert.deepStrictEqual(entry.ended, { nodes_total: "It counted nodes of test networks." })
        }
        const [plain] = (yield* withState(dataDictionary)).feeds
        assert.notProperty(plain, "evidence_due")
        assert.notProperty(plain, "ended")
      })
    )

    it.effect("a feed has its state, its freshness, its coverage and the depth of its history", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(
          latest({ as_of: new Date(noon - 3 * hour), confirmed_at: new Date(noon - 1000) }),
          latest({ symbol: "AKT", as_of: new Date(noon - 7 * day) }),
          latest({ metric: "TOTAL_NODES", as_of: new Date(noon - 30 * hour) }),
          latest({ symbol: "AKT", metric: "volume_24h_usd", source: "akash_console" })
        )
        const long = yield* storeSeries()
        yield* storeDaily(long, [
          { date: "2026-08-10", value: 1 },
          { date: "2026-08-20", value: 1 },
          { date: "2026-08-20", value: 2, version: 2 },
          { date: "2026-08-21", value: 1, incident: 1 }
        ])
        const short = yield* storeSeries({ symbol: "AKT" })
        yield* storeDaily(short, [{ date: "2026-09-01", value: 1 }])
        yield* (yield* HistoryCoverage).refresh
        const dictionary = yield* withState(dataDictionary)
        yield* Schema.decodeUnknownEffect(DataDictionaryResponse)(dictionary)
        assert.deepStrictEqual(
          dictionary.feeds.map(({ feed }) => feed),
          ["jamming", "market", "ships", "telemetry"]
        )
        assert.deepStrictEqual(dictionary.feeds[3], {
          feed: "telemetry",
          title: "Telemetry for tests",
          tier: "supply_telemetry",
          source: "feed_a",
          sources: ["feed_a"],
          hosts: ["stats.example.net"],
          grade: "K",
          state: "open",
          reason: "three failures",
          cadence_seconds: 900,
          last_success: "2026-09-05T10:00:00Z",
          last_failure: "2026-09-05T11:00:01Z",
          last_error: "stats.example.net: 503",
          next_run: "2026-09-05T13:00:00Z",
          runs: 9,
          failures: 3,
          freshness: "recent",
          newest_as_of: "2026-09-05T09:00:00Z",
          newest_read: "2026-09-05T11:59:59Z",
          coverage: { networks: 2, declared_networks: 4, series: 3, live_series: 2 },
          history: { first_date: "2026-08-10", last_date: "2026-09-01", days: 2 }
        })
      })
    )

    it.effect("a feed that never ran is there, with nothing made up", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot()
        const [jamming] = (yield* dataDictionary).feeds
        assert.deepInclude(jamming, {
          sector: "GPS_INTERFERENCE",
          sources: [],
          state: "disabled",
          reason: "a reason",
          last_success: null,
          freshness: null,
          newest_as_of: null,
          coverage: { networks: 0, declared_networks: 1, series: 0, live_series: 0 },
          history: { first_date: null, last_date: null, days: 0 }
        })
      })
    )

    it.effect("a metric says what it means, in which unit, from whom, for how many", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(latest(), latest({ symbol: "AKT" }), latest({ symbol: "AKT", source: "feed_b" }))
        const { metrics } = yield* dataDictionary
        assert.strictEqual(
          metrics.length,
          manifests.flatMap(({ metrics }) => Object.values(metrics).filter(({ of }) => of === undefined))
            .length
        )
        assert.deepStrictEqual(
          metrics.find(({ metric }) => metric === "nodes_online"),
          {
            metric: "nodes_online",
            feed: "telemetry",
            source: "feed_a",
            sources: ["feed_a", "feed_b"],
            tier: "supply_telemetry",
            unit: "count",
            meaning: "Nodes that answer.",
            min: 0,
            networks: 2
          }
        )
      })
    )

    it.effect("of a family, the members that are measured", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(latest({ metric: "nodes_country_DE" }), latest({ metric: "nodes_country_XX" }))
        const { feeds, metrics } = yield* dataDictionary
        assert.isAbove(feeds.length, 0)
        assert.deepStrictEqual(
          metrics.filter(({ metric }) => metric.startsWith("nodes_country")),
          [
            {
              metric: "nodes_country_DE",
              feed: "telemetry",
              source: "feed_a",
              sources: ["feed_a"],
              tier: "supply_telemetry",
              unit: "count",
              meaning: "Nodes, by country.",
              min: 0,
              networks: 1
            }
          ]
        )
      })
    )

    it.effect("health counts series, reads and feeds by state", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(
          latest({ simulated: true }),
          latest({ symbol: "AKT", confirmed_at: new Date(noon - 1) })
        )
        const health = yield* withState(healthData)
        yield* Schema.decodeUnknownEffect(HealthData)(health)
        assert.deepInclude(health, {
          generated_utc: "2026-09-05T12:00:00Z",
          series: 2,
          networks: 2,
          newest_read: "2026-09-05T12:00:00Z",
          simulated_series: 1,
          feeds: {
            waiting: 0,
            running: 0,
            failing: 0,
            open: 1,
            refusing: 0,
            needs_key: 0,
            disabled: 0,
            unstarted: 3
          }
        })
        yield* setSnapshot()
        assert.isNull((yield* healthData).newest_read)
      })
    )
  })
})
