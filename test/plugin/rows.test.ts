/** What plugins compute from rows: sums of what was measured, and days that are over. */
import { assert, describe, it } from "@effect/vitest"
import { lastCompleteDay } from "../../core/plugin/shapes/days.ts"
import { countOf, difference, largest, sum } from "../../core/plugin/shapes/fields.ts"
import { Unreadable } from "../../core/plugin/Unreadable.ts"
import { time } from "../../core/plugin/Upstream.ts"

describe("measured parts", () => {
  it("have a sum only when all were measured", () => {
    assert.strictEqual(sum([1, 0, 2]), 3)
    assert.strictEqual(sum([0]), 0)
    assert.isUndefined(sum([1, null, 2]))
    assert.isUndefined(sum([1, undefined]))
    assert.isUndefined(sum([]))
  })

  it("have a largest only when all were measured", () => {
    assert.strictEqual(largest([3, 7, 0]), 7)
    assert.isUndefined(largest([3, null, 7]))
    assert.strictEqual(largest([0]), 0)
    assert.isUndefined(largest([null, undefined]))
  })

  it("have a difference when both were measured", () => {
    assert.strictEqual(difference(5, 5), 0)
    assert.isUndefined(difference(5, null))
    assert.isUndefined(difference(undefined, 5))
    assert.deepStrictEqual(difference(5, 6), new Unreadable("the part 6 is more than the whole 5"))
  })
})

describe("words", () => {
  const statuses = ["up", "down"]

  it("are counted, also when the wanted one does not occur", () => {
    assert.strictEqual(countOf(["up", "up", "down"], "up", statuses), 2)
    assert.strictEqual(countOf(["down"], "up", statuses), 0)
  })

  it("are not measured when one is missing or not known", () => {
    assert.isUndefined(countOf(["up", null], "up", statuses))
    assert.isUndefined(countOf(["up", "up", "new"], "up", statuses))
    assert.isUndefined(countOf([""], "up", statuses))
    assert.isUndefined(countOf([], "up", statuses))
  })
})

describe("the last complete day", () => {
  const day = (date: string | null) => ({ date })
  const now = Date.parse("2026-09-05T11:00:00Z")
  const at = (rows: ReadonlyArray<{ date: string | null }>, when = now) =>
    lastCompleteDay(rows, ({ date }) => time(date), when)

  it("is the newest that is over, in whatever order the rows come, and true at its last millisecond", () => {
    const rows = [day("2026-09-04"), day("2026-09-05"), day("2026-09-03")]
    const as_of = Date.parse("2026-09-04T23:59:59.999Z")
    assert.deepStrictEqual(at(rows), { row: day("2026-09-04"), before: day("2026-09-03"), as_of })
  })

  it("comes with the day before it, and with no other", () => {
    assert.isUndefined(at([day("2026-09-04"), day("2026-09-02")])?.before)
    assert.isUndefined(at([day("2026-09-04")])?.before)
  })

  it("is over at midnight and not 1 ms before", () => {
    const midnight = Date.parse("2026-09-06T00:00:00Z")
    assert.strictEqual(at([day("2026-09-05")], midnight)?.as_of, midnight - 1)
    assert.isUndefined(at([day("2026-09-05")], midnight - 1))
  })

  it("leaves out rows whose date is no time", () => {
    assert.isUndefined(at([day(null), day("yesterday")]))
  })
})
