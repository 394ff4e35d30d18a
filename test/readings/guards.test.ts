import { assert, describe, it } from "@effect/vitest"
import type { Metric } from "../../core/plugin/Manifest.ts"
import * as Guards from "../../core/readings/ingest/compare/guards.ts"

const checkGuards = (
  metric: Metric,
  value: number,
  before: number | undefined,
  options?: Parameters<typeof Guards.checkGuards>[3]
) => Guards.checkGuards({ metric, name: "figure" }, value, before, options)

const stock = { unit: "count", meaning: "A stock." } as const

describe("a fall of a stock", () => {
  it("of exactly the share passes, and of more does not", () => {
    // A half has no rounding: the fall is the share itself.
    const half = { ...stock, collapse: 0.5 }
    assert.isUndefined(checkGuards(half, 50, 100))
    assert.match(checkGuards(half, 49.999, 100)?.reason ?? "", /fall of more than 50 %/)
    assert.isUndefined(checkGuards(stock, 10, 100))
    assert.match(checkGuards(stock, 9.999, 100)?.reason ?? "", /fall of more than 90 %/)
  })

  it("counts from 20 on: below that a fall to nothing is ordinary", () => {
    assert.isDefined(checkGuards(stock, 0, 20))
    assert.isUndefined(checkGuards(stock, 0, 19.999))
  })
})

describe("a bound", () => {
  it("is itself allowed", () => {
    const bounded = { ...stock, min: 1, max: 2 }
    assert.isUndefined(checkGuards(bounded, 1, undefined))
    assert.isUndefined(checkGuards(bounded, 2, undefined))
    assert.isDefined(checkGuards(bounded, 0.999, undefined))
    assert.isDefined(checkGuards(bounded, 2.001, undefined))
  })
})

describe("a figure that never falls", () => {
  it("may stay as it is, and is held back when it is less by anything", () => {
    assert.isUndefined(checkGuards(stock, 100, 100, { mayFall: false }))
    assert.match(
      checkGuards(stock, 99.999, 100, { mayFall: false })?.reason ?? "",
      /less than 100, .* never falls/
    )
    assert.isUndefined(checkGuards(stock, 99.999, 100))
  })
})
