/** The days of many series in flat arrays: what is in the table, and what it says it does not have. */
import { assert, describe, it } from "@effect/vitest"
import { DayTable, type VersionRow } from "../../core/readings/read/DayTable.ts"
import { dateOf, lastDays } from "../../core/readings/read/days.ts"

const day = 86_400_000
const first = Date.UTC(2026, 9, 1)
const at = (n: number) => first + n * day

const row = (series: number, n: number, over: Partial<VersionRow> = {}): VersionRow => ({
  series,
  date: dateOf(at(n)),
  incident: 0,
  version: 1,
  value: n,
  value_text: null,
  n_observations: 1,
  as_of: new Date(at(n) + 1000),
  verify_url: "https://stats.example.net/v1",
  simulated: false,
  by_definition: null,
  ...over
})
const values = (table: DayTable, series: number, from: number, to: number) =>
  table.rows(series, { from: at(from), to: at(to) }).map(({ value }) => value)

describe("a table of days", () => {
  it("does not cover a day whose place a later one has taken", () => {
    const table = new DayTable(at(0))
    for (let n = 0; n < 40; n++) table.set(row(1, n), at(n))
    assert.isTrue(table.covers({ from: at(8), to: at(39) }))
    assert.isFalse(table.covers({ from: at(7), to: at(39) }))
    // Another series, which has no later day, is cut at the same day.
    table.set(row(2, 3), at(39))
    assert.deepStrictEqual(values(table, 2, 8, 39), [])
    assert.strictEqual(values(table, 1, 8, 39).length, 32)
  })

  it("keeps the window of today when a reading is a day ahead, and does not cover one that is farther", () => {
    const table = new DayTable(at(0))
    for (let n = 0; n <= 30; n++) table.set(row(1, n), at(30))
    table.set(row(1, 31), at(30))
    assert.isTrue(table.covers(lastDays(at(30), 31)))
    assert.isFalse(table.set(row(1, 60), at(30)))
    assert.isTrue(table.covers(lastDays(at(30), 31)))
    assert.isFalse(table.covers({ from: at(40), to: at(60) }))
  })

  it("says whether a row changes what it gives, in each of its columns", () => {
    const table = new DayTable(at(0))
    const set = (over: Partial<VersionRow>) => table.set(row(1, 2, over), at(2))
    assert.isFalse(set({ n_observations: 0 }))
    assert.isTrue(set({}))
    assert.isFalse(set({}))
    const changes: ReadonlyArray<Partial<VersionRow>> = [
      { value: 5 },
      { value_text: "2.0" },
      { n_observations: 2 },
      { as_of: new Date(at(2) + 2000) },
      { verify_url: "https://stats.example.net/v2" },
      { simulated: true },
      { n_observations: 0 },
      { incident: 4 }
    ]
    for (const over of changes) {
      assert.isTrue(set(over), JSON.stringify(over))
      assert.isFalse(set(over), JSON.stringify(over))
      set(over.incident === undefined ? {} : { ...over, n_observations: 0 })
    }
    assert.isTrue(set({ value: 9, version: 2 }))
    assert.isFalse(set({ value: 8, version: 1 }))
    assert.deepStrictEqual(values(table, 1, 0, 5), [9])
  })

  it("gives each day its own address, whichever the series has now", () => {
    const table = new DayTable(at(0))
    const urls = ["a", "a", "b", "b", "a", "c"].map((path) => `https://stats.example.net/${path}`)
    for (const n of [1, 0, 3, 2, 4, 5]) table.set(row(1, n, { verify_url: urls[n] ?? "" }), at(5))
    assert.deepStrictEqual(
      table.rows(1, { from: at(0), to: at(5) }).map(({ verify_url }) => verify_url),
      urls
    )
  })
})
