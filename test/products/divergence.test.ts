/** Where capacity and demand move apart, on a small history whose figures were worked out by hand. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { divergence } from "../../core/products/divergence/build.ts"
import { DivergenceView } from "../../core/products/divergence/definition.ts"
import { forget, given, latest, noon, services, storeDaily, storeSeries } from "../support/views.ts"

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
        yield* stored("AKT", "cpu_cores", { [from]: 100, [to]: 120, [open]: 1 }),
        yield* stored("AKT", "cpu_cores_in_use", { [from]: 50, [to]: 45 }),
        yield* stored("SC", "STORAGE_TOTAL_BYTES", { [from]: 100, [to]: 100 }),
        yield* stored("SC", "STORAGE_USED_BYTES", { [from]: 100, [to]: 101 }),
        // Two days of each, and none in common a week apart.
        yield* stored("GLM", "nodes_online", { "2026-09-03": 7, [to]: 8 }),
        yield* stored("GLM", "nodes_computing", { "2026-09-03": 7, [to]: 8 })
      ]
      yield* given(...rows)
      yield* forget
      const made = yield* divergence
      const decoded = Schema.decodeUnknownExit(DivergenceView, { onExcessProperty: "error" })(made)
      assert.strictEqual(decoded._tag, "Success")
      assert.deepStrictEqual([made.n_networks, made.n_diverging], [1, 1])
      const [akt] = made.rows
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
        made.withheld.map(({ symbol }) => symbol),
        ["SC"]
      )
      assert.isTrue(made.missing.some(({ symbol }) => symbol === "GLM"))
      assert.isAbove(made.n_unmeasured, 100)
    })
  )
})
