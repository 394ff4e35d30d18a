/** The one rule of changes of rank. */
import { assert, describe, it } from "@effect/vitest"
import type { DailyRow } from "../../../core/readings/read/days.ts"
import { rankChanges } from "../../../core/readings/read/rankChanges.ts"

const since = "2026-08-28"

const dayOf = (series: number, value: number, incident = 0, date = since): DailyRow => ({
  series,
  date,
  incident,
  value,
  value_text: null,
  n_observations: 1,
  as_of: new Date(`${date}T01:00:00Z`),
  verify_url: "https://example.org",
  simulated: false,
  by_definition: null
})

const now = (...values: ReadonlyArray<number>) => values.map((value, n) => ({ series: n + 1, value }))

const changes = (...of: Parameters<typeof rankChanges>) => [...rankChanges(...of).bySeries]

describe("a change of rank", () => {
  it("is up, down or none, by place and not by value", () => {
    const onDay = [dayOf(1, 20), dayOf(2, 30), dayOf(3, 40), dayOf(4, 1)]
    assert.deepStrictEqual(changes(now(60, 50, 45, 9), since, onDay, []), [
      [1, 2],
      [2, 0],
      [3, -2],
      [4, 0]
    ])
  })

  it("shares a place among equal values", () => {
    assert.deepStrictEqual(changes(now(9, 9), since, [dayOf(1, 5), dayOf(2, 4)], []), [
      [1, 0],
      [2, 1]
    ])
  })

  it("is of nobody who has no value on the day, and they move nobody", () => {
    const onDay = [dayOf(2, 30), dayOf(3, 20), dayOf(4, 99, 7)]
    const before = [dayOf(1, 5, 0, "2026-08-20")]
    const of = rankChanges(now(90, 50, 45, 9), since, onDay, before)
    assert.deepStrictEqual(
      [...of.bySeries],
      [
        [2, 0],
        [3, 0]
      ]
    )
    assert.strictEqual(of.compared, 2)
  })

  it("is new only where the days before are known and hold no reading, not even an excluded one", () => {
    const onDay = [dayOf(2, 30)]
    const before = [dayOf(3, 5, 4, "2026-08-20")]
    assert.deepStrictEqual(changes(now(90, 50, 45), since, onDay, before), [
      [2, 0],
      [1, "new"]
    ])
    assert.deepStrictEqual(changes(now(90, 50, 45), since, onDay, undefined), [[2, 0]])
    assert.deepStrictEqual(changes(now(90, 50), since, [], []), [])
  })
})
