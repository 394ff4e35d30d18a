/** Where capacity and demand move apart, on a small history whose figures were worked out by hand. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { divergence, stateOf } from "../../core/products/divergence/build.ts"
import { DivergenceView } from "../../core/products/divergence/definition.ts"
import { divergenceOf } from "../../core/publications/divergence.ts"
import { compose } from "../../core/publications/edition/compose.ts"
import { publishedBefore } from "../../core/publications/edition/published.ts"
import {
  clearRecentDays,
  latest,
  noon,
  sealRows,
  services,
  setSnapshot,
  storeDaily,
  storeSeries
} from "../support/views.ts"

const stored = Effect.fnUntraced(function* (
  symbol: string,
  metric: string,
  values: Readonly<Record<string, number>>
) {
  const series = yield* storeSeries({ symbol, metric })
  yield* storeDaily(
    series,
    Object.entries(values).map(([date, value]) => ({ date, value }))
  )
  return latest({ symbol, metric, value: Object.values(values).at(-1) ?? 0 })
})

layer(services)("the divergence detector", (it) => {
  it.effect("compares the same week of both sides, and says what it withholds and misses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate daily, series, batch cascade`
      yield* sql`
        insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
        values ('2026-09-04', ${new Date(noon)}, 'test', ${new Date(noon)}, ${new Date(noon)})`
      yield* TestClock.setTime(noon)
      const [from, to, open] = ["2026-08-28", "2026-09-04", "2026-09-05"] as const
      const rows = [
        yield* stored("AKT", "cpu_cores", { [from]: 200, [to]: 240, [open]: 1 }),
        yield* stored("AKT", "cpu_cores_in_use", { [from]: 100, [to]: 90 }),
        yield* stored("SC", "STORAGE_TOTAL_BYTES", { [from]: 100, [to]: 100 }),
        yield* stored("SC", "STORAGE_USED_BYTES", { [from]: 100, [to]: 101 }),
        // Two days of each, and none in common a week apart.
        yield* stored("GLM", "nodes_online", { "2026-09-03": 7, [to]: 8 }),
        yield* stored("GLM", "nodes_computing", { "2026-09-03": 7, [to]: 8 })
      ]
      yield* setSnapshot(...rows)
      yield* clearRecentDays
      const view = yield* divergence
      const decoded = Schema.decodeUnknownExit(DivergenceView, { onExcessProperty: "error" })(view)
      assert.strictEqual(decoded._tag, "Success")
      assert.deepStrictEqual([view.n_networks, view.n_diverging], [1, 1])
      const [akt] = view.rows
      assert.deepStrictEqual(
        [akt?.symbol, akt?.capacity.change_pct, akt?.demand.change_pct, akt?.divergence_points, akt?.state],
        ["AKT", 20, -10, 30, "capacity_ahead"]
      )
      assert.strictEqual(akt?.utilisation_pct, 37.5)
      assert.deepStrictEqual([akt?.demand.from_date, akt?.demand.to_date], [from, to])
      assert.include(
        akt?.capacity.to.proof,
        "/v1/attest?symbol=AKT&metric=cpu_cores&date=20260904&source=feed_a"
      )
      assert.deepStrictEqual(
        view.withheld.map(({ symbol }) => symbol),
        ["SC"]
      )
      assert.isTrue(view.missing.some(({ symbol }) => symbol === "GLM"))
      assert.isAbove(view.n_unmeasured, 100)
    })
  )

  it.effect("says of the same days what the brief says", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate daily, series, batch cascade`
      yield* sql`
        insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
        values ('2026-09-04', ${new Date(noon)}, 'test', ${new Date(noon)}, ${new Date(noon)})`
      yield* TestClock.setTime(noon)
      // Days that are not a week apart, a series that ends earlier, a fall from below 0, and a change that is withheld.
      const rows = [
        yield* stored("AKT", "cpu_cores", {
          "2026-08-27": 900,
          "2026-08-28": 1000,
          "2026-09-03": 700,
          "2026-09-04": 1230
        }),
        yield* stored("AKT", "cpu_cores_in_use", { "2026-08-27": 310, "2026-08-28": 300, "2026-09-03": 400 }),
        yield* stored("NOS", "nodes_online", { "2026-08-28": 300, "2026-09-04": 350 }),
        yield* stored("NOS", "jobs_running", { "2026-08-28": -800, "2026-09-04": -600 }),
        yield* stored("TFT", "nodes_up", { "2026-08-28": 100, "2026-09-04": 1150 }),
        yield* stored("TFT", "workloads", { "2026-08-28": 500, "2026-09-04": 500 })
      ]
      const [batch] = yield* sql<{ id: number }>`select max(id) as id from batch`
      yield* sealRows(batch?.id ?? 0)
      yield* setSnapshot(...rows)
      yield* clearRecentDays
      const view = yield* divergence
      const { capacity_and_demand: section } = compose({
        date: "2026-09-05",
        series: yield* publishedBefore("2026-09-05"),
        answered: new Map(),
        cadence: new Map(),
        isCapacity: () => true,
        unusual: undefined,
        simulated: false
      })
      const figures = section.rows.map((row) => [
        row.symbol,
        row.capacity.change_pct,
        row.demand.change_pct,
        row.divergence_points,
        row.utilisation_pct
      ])
      assert.deepStrictEqual(
        figures,
        view.rows.map((row) => [
          row.symbol,
          row.capacity.change_pct,
          row.demand.change_pct,
          row.divergence_points,
          row.utilisation_pct
        ])
      )
      assert.strictEqual(figures.length, 2)
      assert.deepStrictEqual(section.withheld, view.withheld)
      assert.deepStrictEqual(section.missing, view.missing)
      assert.match(view.withheld[0]?.reason ?? "", /nodes_up: a change of 1050 % in a week is implausible/)
    })
  )
})

describe("the rule of divergence", () => {
  const week = (from: number, to: number) => ({
    days: [
      { date: "2026-08-28", value: from, unit: "count" },
      { date: "2026-09-04", value: to, unit: "count" }
    ]
  })

  const compared = (capacity: ReturnType<typeof week>, demand = week(100, 100)) =>
    divergenceOf(["TFT"], (_, metric) => (metric === "nodes_up" ? capacity : demand))

  it.each([
    [10, true],
    [9.99, false],
    [1000, true],
    [1000.1, false]
  ])("takes a change from 100 to %d: %s", (to, isTaken) => {
    const { rows, withheld } = compared(week(100, to))
    assert.deepStrictEqual([rows.length, withheld.length], isTaken ? [1, 0] : [0, 1])
  })

  it("withholds a series with readings of this week that an incident excludes", () => {
    const { rows, withheld } = compared({ ...week(100, 110), incident: 7 } as ReturnType<typeof week>)
    assert.deepStrictEqual(
      [rows.length, withheld],
      [
        0,
        [
          {
            symbol: "TFT",
            reason: "nodes and workloads: nodes_up: incident 7 excludes readings of this week"
          }
        ]
      ]
    )
  })

  it("compares no week that begins at 0", () => {
    const { missing, rows } = compared(week(0, 5))
    assert.deepStrictEqual([rows.length, missing.length], [0, 1])
  })

  it.each([
    [10, "capacity_ahead"],
    [9.999, "together"],
    [-9.999, "together"],
    [-10, "demand_ahead"]
  ])("calls %d points %s", (points, state) => {
    assert.strictEqual(stateOf(points), state)
  })
})
