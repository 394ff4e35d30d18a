import { assert, describe, it } from "@effect/vitest"
import { freshness, isStale } from "../../core/readings/read/freshness.ts"

const hour = 3_600_000

describe("freshness", () => {
  it.each([
    [2 * hour, "live", "recent"],
    [26 * hour, "recent", "stale"],
    [168 * hour, "stale", "static"]
  ] as const)("turns at %i ms, not a millisecond before", (age, before, after) => {
    assert.strictEqual(freshness(age - 1), before)
    assert.strictEqual(freshness(age), after)
    assert.strictEqual(freshness(age + 1), after)
  })

  it("calls a value of the future live", () => {
    assert.strictEqual(freshness(-300_000), "live")
  })
})

describe("staleness_flag", () => {
  it("is set at 26 hours, however slow the feed", () => {
    assert.isFalse(isStale(26 * hour - 1, 48 * hour))
    assert.isTrue(isStale(26 * hour, 48 * hour))
  })

  it("is set past twice the cadence, and not at it", () => {
    assert.isFalse(isStale(2 * hour, hour))
    assert.isTrue(isStale(2 * hour + 1, hour))
  })
})
