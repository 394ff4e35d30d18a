/** `runtime/SCALE.md` says what its figures give. */
import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { growthOf } from "../bench/growth.ts"
import { assumed, computed, measuredIn, needsOf, pageWith, readPage, readRuns } from "../bench/scalePage.ts"
import type { Campaign } from "../campaigns/year.ts"

describe("the page on scale", () => {
  it("is computed from the figures that were measured", () => {
    const page = readPage()
    assert.strictEqual(pageWith(page, computed(readRuns())), page, "run: node test/bench/scalePage.ts")
  })

  it("names benchmarks that there are", () => {
    for (const { bench } of readRuns().flatMap(({ rows }) => rows)) {
      assert.isTrue(existsSync(new URL(`../bench/${bench}.ts`, import.meta.url)), bench)
    }
  })

  it("multiplies what one costs", () => {
    const series = 90_000
    const need = needsOf(() => 10, [], { name: "a size", networks: 1, series, requests: 50_000 })
    assert.strictEqual(need.perSecond, (series * 96) / 86_400)
    // 100 readings per second of 10 µs each, in the service and in Postgres.
    assert.closeTo(need.ingesting, 0.001, 1e-9)
    assert.closeTo(need.writerBusy, 0.002, 1e-9)
    assert.strictEqual(need.answering, 0.5)
    assert.strictEqual(need.processes, Math.ceil(0.501 / assumed.utilization))
    assert.strictEqual(need.yearBytes, 0)
    // A leaf is in the file of its day, its month and its year.
    assert.strictEqual(need.archiveBytes, series * 365 * 30)
    assert.strictEqual(need.readingBytes, series * 96 * 90 * 10)
    assert.closeTo(need.closeSeconds, 1.8, 1e-9)
  })

  it("makes a year of what a campaign measured, and of nothing less", () => {
    const campaign: Campaign = {
      engine: "postgres",
      machine: "",
      date: "",
      load: [0, 0],
      days: 130,
      series: 100,
      runsPerDay: 10,
      exchangesPerRun: 7,
      moved: { runs: 0, exchanges: 0, bytes: 0 },
      measured: [30, 130].map((day) => ({
        day,
        close: 1,
        start: 1,
        tables: ["leaf", "run", "exchange", "moved_run", "runs_hour"].map((name) => ({
          name,
          rows: day,
          bytes: 500 * day
        }))
      }))
    }
    const tables = growthOf({ campaigns: [campaign], agreement_value: 90 })
    const of = (name: string) => tables.find(({ table }) => table === name) ?? assert.fail(name)
    const size = { series: 1000, runs: 100 }
    assert.strictEqual(of("leaf").bytes, 5)
    assert.strictEqual(of("leaf").year(size), 365 * 1000 * 5)
    assert.strictEqual(of("agreement_value").year(size), 365 * 1000 * 90)
    assert.strictEqual(of("exchange").year(size), 120 * 100 * 7 * 500)
    assert.strictEqual(of("run").year(size), 500 * (120 * 100 + 365 * 10 * 10))
    assert.throws(() => growthOf({ campaigns: [], agreement_value: 90 }), /year.ts postgres/)
  })

  it("refuses to compute from a figure that was not measured", () => {
    assert.throws(() => measuredIn([])("scale", "a leaf in Postgres"), /run npm run bench -- scale/)
  })
})
