/** `runtime/SCALE.md` says what its figures give. */
import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { assumed, computed, measuredIn, needsOf, pageWith, readPage, readRuns } from "../bench/scalePage.ts"

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
    const need = needsOf(() => 10, { name: "a size", networks: 1, series, requests: 50_000 })
    assert.strictEqual(need.perSecond, (series * 96) / 86_400)
    // 100 readings per second of 10 µs each, in the service and in Postgres.
    assert.closeTo(need.ingesting, 0.001, 1e-9)
    assert.closeTo(need.writerBusy, 0.002, 1e-9)
    assert.strictEqual(need.answering, 0.5)
    assert.strictEqual(need.processes, Math.ceil(0.501 / assumed.utilization))
    assert.strictEqual(need.yearBytes, series * 365 * 20)
    // A leaf is in the file of its day, its month and its year.
    assert.strictEqual(need.archiveBytes, series * 365 * 30)
    assert.strictEqual(need.readingBytes, series * 96 * 90 * 10)
    assert.closeTo(need.closeSeconds, 1.8, 1e-9)
  })

  it("refuses to compute from a figure that was not measured", () => {
    assert.throws(() => measuredIn([])("scale", "a leaf in Postgres"), /run npm run bench -- scale/)
  })
})
