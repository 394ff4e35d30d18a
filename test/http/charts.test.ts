/** What is written in charts: at their axes, at their lines, and in the files that leave the site. */
import { assert, describe, it } from "@effect/vitest"
import type { Unit } from "../../core/plugin/units.ts"
import { drawingsFile } from "../../http/explorer/charts/chartFile.ts"
import { compareChart } from "../../http/explorer/charts/compareChart.ts"
import { wrap } from "../../http/explorer/charts/fit.ts"
import { lineChart, lineFrame } from "../../http/explorer/charts/lineChart.ts"
import type { Point } from "../../http/explorer/charts/scale.ts"
import { choicesFor, type Measure, valueAxis } from "../../http/explorer/charts/valueAxis.ts"

const now = Date.parse("2026-09-05T12:00:00Z")

const pointsOf = (values: ReadonlyArray<number>): ReadonlyArray<Point> =>
  values.map((value, n) => ({ date: `2026-09-0${n + 1}`, value }))

const chartOf = (values: ReadonlyArray<number>, unit: Unit) => ({
  id: "chart",
  title: "Devices of a network",
  unit,
  points: pointsOf(values),
  now,
  days: 7
})

const texts = (values: ReadonlyArray<number>, measure: Measure) =>
  valueAxis(values, measure).ticks.map(({ text }) => text)

describe("an axis of values", () => {
  it("has whole numbers alone where things are counted", () => {
    assert.deepStrictEqual(texts([3, 4], "count"), ["3", "4"])
    assert.deepStrictEqual(texts([7], "satellites"), ["7"])
    assert.deepStrictEqual(texts([24, 35], "count"), ["25", "30", "35"])
    assert.deepStrictEqual(texts([1, 3], "rank"), ["#1", "#2", "#3"])
    assert.notInclude(texts([1, 40], "rank"), "#0")
    assert.deepStrictEqual(texts([3, 4], "hours"), ["3.00 h", "3.25 h", "3.50 h", "3.75 h", "4.00 h"])
  })

  it("says yes and no of a flag at most once each", () => {
    assert.deepStrictEqual(texts([0, 1, 1], "flag"), ["no", "yes"])
    assert.deepStrictEqual(texts([1, 1], "flag"), ["yes"])
    assert.deepStrictEqual(texts([0, 0], "flag"), ["no", "yes"])
  })

  it("says a long unit once, in its title, and never cuts what stands at a value", () => {
    const { ticks, title } = valueAxis([0.00114, 0.00117], "tokens")
    assert.strictEqual(title, "tokens")
    assert.match(ticks.map(({ text }) => text).join(" "), /^[\d. ]+$/)
    const { right, width } = lineFrame(chartOf([301, 305], "g_co2_per_kwh"))
    const longest = lineFrame(chartOf([12_345_678.125, 12_345_678.25], "usd_per_hour"))
    assert.strictEqual(width - right, 78)
    assert.isBelow(longest.right + longest.axis.room, longest.width)
    assert.isBelow(longest.right, right)
  })

  it("is titled, as the axis of the days is", () => {
    const svg = lineChart(chartOf([1, 2], "usd"))
    assert.include(svg, ">US dollars</text>")
    assert.include(svg, ">UTC day</text>")
  })

  it("begins at 0, or goes by the logarithm, where that is chosen and fits the values", () => {
    assert.deepStrictEqual(choicesFor([298, 304], "count"), ["zero", "log"])
    assert.deepStrictEqual(choicesFor([-3, 4], "usd"), [])
    assert.deepStrictEqual(choicesFor([-3, -2], "usd"), ["zero"])
    assert.deepStrictEqual(choicesFor([0, 4000], "count"), [])
    for (const unit of ["rank", "flag", "date"] as const) assert.deepStrictEqual(choicesFor([1, 2], unit), [])
    const zero = valueAxis([298, 304], "count", "zero")
    assert.strictEqual(zero.ticks[0]?.value, 0)
    assert.strictEqual(zero.share(0), 0)
    const log = valueAxis([3, 30, 30_000], "count", "log")
    assert.deepStrictEqual(
      log.ticks.map(({ value }) => value),
      [1, 10, 100, 1000, 10_000]
    )
    assert.closeTo(log.share(1000) - log.share(100), log.share(100) - log.share(10), 1e-9)
    assert.strictEqual(log.title, "number, logarithmic")
    // Within less than a power of ten round values are better than none; and all values are inside.
    const narrow = valueAxis([298, 304], "count", "log")
    assert.isAtLeast(narrow.ticks.length, 3)
    for (const value of [298, 304]) {
      assert.isAbove(narrow.share(value), 0)
      assert.isBelow(narrow.share(value), 1)
    }
    assert.deepStrictEqual(valueAxis([0, 5], "count", "log").ticks, valueAxis([0, 5], "count").ticks)
  })

  it("has no values where none was read", () => {
    assert.deepStrictEqual(texts([], "count"), [])
  })

  it("has days that exist where values are dates", () => {
    for (const text of texts([20260928, 20261103], "date"))
      assert.strictEqual(new Date(`${text}T00:00:00Z`).toISOString().slice(0, 10), text)
  })
})

describe("a comparison", () => {
  const compared = (label: string, width: number) =>
    compareChart({
      id: "compared",
      title: "Two series",
      lines: [
        { letter: "a", name: "Storj, Nodes", label, unit: "count", points: pointsOf([1, 2]) },
        {
          letter: "b",
          name: "Filecoin, Providers",
          label: "Filecoin",
          unit: "count",
          points: pointsOf([3, 4])
        }
      ],
      isIndex: false,
      now,
      days: 7,
      width
    })

  it("has the names of its series at the ends of their lines, where they fit", () => {
    assert.include(compared("Storj & <sons>", 1280), ">A Storj &amp; &lt;sons&gt;</text>")
    assert.include(compared("Storj", 400), ">B Filecoin</text>")
    assert.include(compared("A name that a phone has no room for", 400), ">B</text>")
  })
})

describe("a picture", () => {
  it("breaks long lines of the source inside of its edge, an address only where it must", () => {
    assert.deepStrictEqual(wrap("one two three", 7), ["one two", "three"])
    assert.deepStrictEqual(wrap("see aaaaaaaaaa", 6), ["see", "aaaaaa", "aaaa"])
    assert.deepStrictEqual(wrap("a b c d e", 1, 3), ["a", "b", "…"])
    const address = `plumbline.test/compare?${"a=FIL/active_storage_providers&".repeat(6)}`
    const svg = drawingsFile([{ svg: "<svg ></svg>", width: 860, height: 300 }], {
      heading: "A heading of many words ".repeat(10),
      lines: [`Source: made-up. ${address}`]
    })
    const texts = [...svg.matchAll(/<text class="(\w+)"[^>]*>([^<]*)</g)]
    for (const [, kind, text = ""] of texts) {
      const most = (860 - 24) / (kind === "heading" ? 10.2 : 7.2)
      assert.isAtMost(text.replaceAll("&amp;", "&").length, most, text)
    }
    const below = texts.slice(1).map(([, , text = ""]) => text.replaceAll("&amp;", "&"))
    assert.include(below.join(""), address)
    assert.include(svg, "…</text>")
    const places = [...svg.matchAll(/<text class="source" x="12" y="(\d+)"/g)].map(([, y]) => Number(y))
    assert.isBelow(Math.max(...places), Number(/viewBox="0 0 860 (\d+)"/.exec(svg)?.[1]))
  })
})
