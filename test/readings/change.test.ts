/** The one rule of changes. */
import { assert, describe, it } from "@effect/vitest"
import { units } from "../../core/plugin/units.ts"
import { changeOver, isBroadBase, ofSameHour } from "../../core/readings/change.ts"

const days = (...values: ReadonlyArray<number>) =>
  values.map((value, n) => ({ date: `2026-08-${String(n + 7).padStart(2, "0")}`, value }))

describe("a change", () => {
  it("is from the first to the last day, absolute and in percent", () => {
    assert.deepStrictEqual(changeOver("count", days(887, 1, 904)), {
      from: { date: "2026-08-07", value: 887 },
      to: { date: "2026-08-09", value: 904 },
      absolute: 17,
      relative: (100 * 17) / 887
    })
    assert.strictEqual(changeOver("count", days(5, 0))?.relative, -100)
    assert.strictEqual(changeOver("mw", days(-400, -300))?.relative, 25)
  })

  it("is undefined of fewer than two days", () => {
    assert.isUndefined(changeOver("count", days(1)))
    assert.isUndefined(changeOver("count", []))
  })

  it("has exact differences", () => {
    assert.strictEqual(changeOver("usd", days(1000.1, 1000.3))?.absolute, 0.2)
    const [a, b] = ["9007199254740993.5", "9007199254740994.75"].map((value_text, n) => ({
      date: `2026-08-0${n + 1}`,
      value: Number(value_text),
      value_text
    }))
    if (a === undefined || b === undefined) return assert.fail("no days")
    assert.strictEqual(changeOver("tokens", [a, b])?.absolute, 1.25)
  })

  it("is not in percent where a ratio says nothing, and says why", () => {
    const kinds = units.filter((unit) => changeOver(unit, days(20260901, 20260902))?.relative === null)
    assert.deepStrictEqual(kinds, ["percent", "pct", "rank", "block", "flag", "date", "score"])
    for (const unit of kinds)
      assert.match(changeOver(unit, days(1, 2))?.why ?? "", /^There is no change in percent: .+\.$/)
    assert.strictEqual(changeOver("pct", days(-0.4, 0.3))?.absolute, 0.7)
    assert.isNull(changeOver("date", days(20260831, 20260901))?.absolute)
    assert.isNull(changeOver("flag", days(0, 1))?.absolute)
  })

  it("is not in percent from 0, or of a series that changes its sign on any day", () => {
    assert.include(changeOver("count", days(0, 3))?.why, "is 0")
    assert.include(changeOver("usd", days(-0.1, 0.2))?.why, "changes its sign")
    assert.include(changeOver("usd", days(0.1, -0.3, 0.2))?.why, "changes its sign")
    assert.isNull(changeOver("usd", days(0.1, -0.3, 0.2))?.relative)
    assert.isNull(changeOver("usd", days(1e-300, 1e300))?.relative)
  })

  it("says of what is above 500 percent that its base is small", () => {
    assert.isUndefined(changeOver("usd", days(1, 6))?.why)
    const large = changeOver("usd", days(1, 6.01))
    assert.closeTo(large?.relative ?? 0, 501, 1e-9)
    assert.include(large?.why, "because the value of 2026-08-07, 1, is small")
  })
})

describe("a base", () => {
  it.each([
    ["nodes_online", "count", 100, true],
    ["nodes_online", "count", 99, false],
    ["storage_bytes", "bytes", 20, true],
    ["fees_24h_usd", "usd", 19.9, false],
    ["price_usd", "usd", 0.001, true],
    ["dex_price_usd", "usd", 0.001, true]
  ] as const)("of %s in %s at %d is broad: %s", (metric, unit, value, isBroad) => {
    assert.strictEqual(isBroadBase({ metric, unit }, value), isBroad)
  })
})

it("the same hour is within an hour, across midnight too", () => {
  const at = (time: string) => ({ as_of: new Date(`2026-08-07T${time}:00Z`) })
  const some = [at("23:10"), at("00:30"), at("22:00"), at("12:00"), at("01:01")]
  assert.deepStrictEqual(
    ofSameHour(some, new Date("2026-09-04T00:01:00Z")),
    [some[0], some[1], some[4]].filter((one) => one !== undefined)
  )
})
