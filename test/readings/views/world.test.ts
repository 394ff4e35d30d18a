import * as PgTypes from "@effect/sql-pg/PgTypes"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Sector } from "../../../core/plugin/kinds.ts"
import type { LatestRow } from "../../../core/readings/read/Current.ts"
import { IngestCounts } from "../../../core/readings/read/IngestCounts.ts"
import { world } from "../../../core/readings/read/world.ts"
import { WorldResponse } from "../../../core/wire/data/world.ts"
import { onBothEngines } from "../../support/database.ts"
import { day, hour, latest, noon, servicesOn, setSnapshot } from "../../support/views.ts"

const ships = (symbol: string, value: number, over: Partial<LatestRow> = {}) =>
  latest({
    symbol,
    value,
    metric: "ais_vessels_tracked",
    unit: "vessels",
    plugin: "ships",
    tier: "physical",
    source: symbol === "SHIPS" ? "ship_union" : `${symbol.toLowerCase()}_ais`,
    ...over
  })
const jam = (metric: string, value: number, over: Partial<LatestRow> = {}) =>
  latest({
    symbol: "JAM",
    metric,
    value,
    unit: "days",
    plugin: "jamming",
    tier: "physical",
    source: "jam_map",
    ...over
  })

const ask = world({ baseUrl: "https://plumb.example" })

onBothEngines("world", (database) => {
  layer(IngestCounts.layer.pipe(Layer.provideMerge(servicesOn(database))))((it) => {
    it.effect("an empty world has its shape: every sector, no gauge, no time", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(latest())
        const response = yield* ask
        yield* Schema.decodeUnknownEffect(WorldResponse)(response)
        assert.deepStrictEqual(response.gauges, {})
        assert.isNull(response.measured_utc)
        assert.deepStrictEqual(response.estate, {
          sectors_live_24h: 0,
          rows_ingested_24h: 0,
          distinct_series_24h: 0,
          rows_total: 0
        })
        assert.deepStrictEqual(
          response.sectors.map(({ sector }) => sector),
          [...Sector.literals]
        )
        assert.strictEqual(response.terms_url, "https://plumb.example/terms")
        assert.match(response.definitions.sector, /^A sector is one domain of the physical world, such as /)
      })
    )

    it.effect("a gauge of a feed that nothing has confirmed is missing, with the reason", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(ships("SHIPS", 30, { unconfirmed: true }), jam("gps_interference_days", 1200))
        const response = yield* ask
        yield* Schema.decodeUnknownEffect(WorldResponse)(response)
        assert.deepStrictEqual(Object.keys(response.gauges), ["gps_interference_days"])
        assert.deepStrictEqual(response.missing_gauges, { ais_vessels_tracked: "unconfirmed" })
        // It is still among the series that are read.
        assert.strictEqual(response.estate.distinct_series_24h, 2)
      })
    )

    it.effect("a gauge carries its parts, their feeds, its method; a first day reads as a date", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(
          ships("SHIPS", 30),
          ships("BALTIC", 0, { simulated: true }),
          jam("gps_interference_days", 1200, {
            as_of: new Date(noon - 12 * hour),
            confirmed_at: new Date(noon)
          }),
          jam("gps_interference_first_day", 20220214)
        )
        const response = yield* ask
        yield* Schema.decodeUnknownEffect(WorldResponse)(response)
        assert.deepStrictEqual(response.gauges, {
          ais_vessels_tracked: {
            value: 30,
            as_of: "2026-09-05T12:00:00Z",
            unit: "vessels",
            symbol: "SHIPS",
            source: "ship_union",
            verify_url: "https://stats.example.net/v1/nodes",
            method: "Ships heard.",
            receiver_networks: ["baltic_ais"],
            parts: {
              BALTIC: {
                value: 0,
                as_of: "2026-09-05T12:00:00Z",
                source: "baltic_ais",
                verify_url: "https://stats.example.net/v1/nodes",
                method: "Ships heard.",
                simulated: true
              }
            }
          },
          gps_interference_days: {
            value: 1200,
            as_of: "2026-09-05T00:00:00Z",
            unit: "days",
            symbol: "JAM",
            source: "jam_map",
            verify_url: "https://stats.example.net/v1/nodes",
            method: "Days with a map.",
            first_day: "2022-02-14"
          }
        })
      })
    )

    it.effect("a gauge that is the union of some networks names those that are missing", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const before = { as_of: new Date(noon - day), confirmed_at: new Date(noon - day) }
        yield* setSnapshot(
          ships("SHIPS", 50, before),
          ships("SHIPS", 30, { source: "ship_union_of_baltic" }),
          ships("BALTIC", 30),
          ships("NORWAY", 20, before)
        )
        const response = yield* ask
        yield* Schema.decodeUnknownEffect(WorldResponse)(response)
        const { missing_parts, source, value } = response.gauges.ais_vessels_tracked ?? assert.fail()
        assert.deepStrictEqual([value, source, missing_parts], [30, "ship_union_of_baltic", ["NORWAY"]])
      })
    )

    it.effect("a gauge leaves at six hours after the read that saw it, each part by itself", () =>
      Effect.gen(function* () {
        const tick = 10_000
        const read = (ms: number) => ({ as_of: new Date(noon - day), confirmed_at: new Date(noon + ms) })
        yield* setSnapshot(
          ships("SHIPS", 30, read(0)),
          ships("BALTIC", 10, read(-tick)),
          ships("NORWAY", 20, read(0))
        )
        const parts = Effect.fnUntraced(function* (ms: number) {
          yield* TestClock.setTime(noon + ms)
          const gauge = (yield* ask).gauges.ais_vessels_tracked
          return gauge === undefined ? "absent" : [gauge.value, ...Object.keys(gauge.parts ?? {})]
        })
        assert.deepStrictEqual(yield* parts(6 * hour - tick - 1), [30, "BALTIC", "NORWAY"])
        assert.deepStrictEqual(yield* parts(6 * hour - tick), [30, "NORWAY"])
        assert.deepStrictEqual(yield* parts(6 * hour), "absent")
        assert.deepStrictEqual(yield* parts(6 * hour + tick), "absent")
        // A part without its gauge makes none.
        yield* setSnapshot(ships("NORWAY", 20, read(6 * hour)))
        assert.deepStrictEqual(yield* parts(6 * hour), "absent")
      })
    )

    it.effect("sectors and series count while read within 24 hours; a series is a symbol of a sector", () =>
      Effect.gen(function* () {
        yield* setSnapshot(
          ships("SHIPS", 1),
          ships("BALTIC", 1),
          jam("gps_interference_days", 1),
          jam("gps_interference_first_day", 20220214),
          latest()
        )
        yield* TestClock.setTime(noon + day - 1)
        const live = yield* ask
        assert.deepStrictEqual([live.estate.sectors_live_24h, live.estate.distinct_series_24h], [2, 3])
        assert.strictEqual(live.measured_utc, "2026-09-05T12:00:00Z")
        assert.deepStrictEqual(live.sectors[0], { sector: "MARITIME_AIS", live_24h: true, series_24h: 2 })
        yield* TestClock.setTime(noon + day)
        const idle = yield* ask
        assert.deepStrictEqual([idle.estate.sectors_live_24h, idle.estate.distinct_series_24h], [0, 0])
      })
    )

    it.effect("rows count by complete, successful runs of the sectors' feeds, also long after", () =>
      Effect.gen(function* () {
        yield* setSnapshot()
        const sql = yield* SqlClient.SqlClient
        let n = 0
        const run = Effect.fnUntraced(function* (
          plugin: string,
          age: number,
          rows: number,
          over: { readonly status?: string; readonly complete?: boolean } = {}
        ) {
          const id = `run-${String(++n)}`
          yield* sql`insert into run ${sql.insert({
            id,
            plugin,
            started_at: new Date(noon - age),
            finished_at: new Date(noon - age),
            run_now: new Date(noon - age),
            status: over.status ?? "ok",
            error_tag: null,
            error_message: null,
            code_hash: "",
            targets_sha256: "",
            settings: PgTypes.jsonb({}),
            n_rows: rows,
            rows_sha256: "",
            refused: PgTypes.jsonb([]),
            simulated: false,
            complete: false
          })}`
          // Twice, as ingest does when it is given a run again.
          if (over.complete !== false) {
            yield* sql`update run set complete = true where id = ${id}`
            yield* sql`update run set complete = true where id = ${id}`
          }
        })
        const counts = Effect.fnUntraced(function* (at: number) {
          yield* TestClock.setTime(at)
          yield* (yield* IngestCounts).refresh
          const { estate } = yield* ask
          return [estate.rows_ingested_24h, estate.rows_total]
        })
        yield* run("ships", 10 * day, 1000)
        yield* run("jamming", day, 100)
        yield* run("ships", day - 1, 10)
        yield* run("ships", 0, 1)
        yield* run("telemetry", 0, 5000)
        yield* run("ships", 0, 5000, { status: "failed" })
        yield* run("ships", 0, 5000, { complete: false })
        assert.deepStrictEqual(yield* counts(noon), [11, 1111])
        assert.deepStrictEqual(yield* counts(noon + day), [0, 1111])
        assert.deepStrictEqual(yield* counts(noon + 9 * day), [0, 1111])
        yield* run("ships", -9 * day, 7)
        assert.deepStrictEqual(yield* counts(noon + 9 * day), [7, 1118])
      })
    )
  })
})
