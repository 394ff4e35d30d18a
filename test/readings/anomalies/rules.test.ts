/** Each rule, on days that it is about and on days that it is not. */
import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "../../../core/readings/anomalies/finding.ts"
import { judgeMetric } from "../../../core/readings/anomalies/judgeMetric.ts"
import type { JudgedSeries } from "../../../core/readings/anomalies/series.ts"
import { dateAt } from "./made.ts"

/** Thousand, and a little more or less: the same in every test. */
const calm = (at: number): number => 1000 + ((7 * at) % 11) - 5

const seriesOf = (
  values: ReadonlyArray<number>,
  more: Partial<Omit<JudgedSeries, "days">> = {}
): JudgedSeries => ({
  symbol: "FIL",
  metric: "nodes_online",
  source: "a",
  unit: "count",
  category: "storage",
  neverFalls: false,
  mayBeZero: false,
  mayJump: false,
  ...more,
  days: values.map((value, at) => ({ date: dateAt(at), value }))
})

const days = (n: number, of: (at: number) => number = calm): ReadonlyArray<number> =>
  Array.from({ length: n }, (_, at) => of(at))

const judged = (series: JudgedSeries, others: ReadonlyArray<JudgedSeries> = []): Finding | undefined =>
  judgeMetric([series, ...others])(series)

describe("level", () => {
  it("finds a jump, with its range, score and numbers in words", () => {
    const finding = judged(seriesOf([...days(20), 1700]))
    assert.strictEqual(finding?.rule, "level")
    assert.strictEqual(finding?.baseline_days, 19)
    assert.isBelow(finding?.high ?? 0, 1100)
    assert.isAbove(finding?.low ?? 0, 900)
    assert.isAbove(finding?.score ?? 0, 12)
    assert.include(finding?.why, "%, from 996 on 2026-06-20 to 1700 on 2026-06-21")
  })

  it("says nothing of the way back, of a weekend, of few things, or of fewer than eight changes", () => {
    assert.isUndefined(judged(seriesOf([...days(20), 1700, calm(21)])))
    const week = (at: number) => calm(at) * (at % 7 < 2 ? 0.6 : 1)
    for (let n = 20; n < 28; n++) assert.isUndefined(judged(seriesOf(days(n, week))), `${n}`)
    assert.isUndefined(judged(seriesOf([...days(20, () => 2), 9])))
    assert.isUndefined(judged(seriesOf([...days(8), 1700])))
    assert.isDefined(judged(seriesOf([...days(9), 1700])))
  })

  it("says nothing where the manifest allows a rise, or where the whole category rose", () => {
    assert.isUndefined(judged(seriesOf([...days(20), 1700], { mayJump: true })))
    const peers = (last: number) =>
      Array.from({ length: 6 }, (_, n) =>
        seriesOf([...days(20, (at) => calm(at + n)), last], { symbol: `PEER${n}` })
      )
    assert.isUndefined(judged(seriesOf([...days(20), 1700]), peers(1700)))
    assert.strictEqual(judged(seriesOf([...days(20), 1700]), peers(1000))?.rule, "level")
  })

  it("says nothing of ranks, flags and dates", () => {
    for (const unit of ["rank", "flag", "date"])
      assert.isUndefined(judged(seriesOf([...days(20), 1700], { unit })), unit)
  })
})

describe("rules on one value", () => {
  it("names a change of unit", () => {
    const finding = judged(seriesOf([...days(20), 1_000_900]))
    assert.strictEqual(finding?.rule, "unit")
    assert.include(finding?.why, "The factor is about 1,000,")
  })

  it("finds 0, unless the manifest or the past has it", () => {
    assert.strictEqual(judged(seriesOf([...days(20), 0]))?.rule, "zero")
    assert.isUndefined(judged(seriesOf([...days(20), 0], { mayBeZero: true })))
    assert.isUndefined(judged(seriesOf([...days(9), 0, 0, ...days(9), 0])))
  })

  it("finds another sign, unless the series has both", () => {
    assert.strictEqual(judged(seriesOf([...days(20), -1000], { unit: "usd" }))?.rule, "sign")
    const both = (at: number) => (at % 2 === 0 ? 900 : -900)
    assert.isUndefined(judged(seriesOf([...days(20, both), -900], { unit: "usd" })))
  })

  it("finds a fall of what only rises", () => {
    const total = (at: number) => 1_000_000 + 900 * at + calm(at)
    const short = seriesOf([...days(10, total), 1_000_500])
    assert.strictEqual(judged(seriesOf([...days(20, total), 900_000]))?.rule, "fell")
    assert.isUndefined(judged(short))
    assert.strictEqual(judged({ ...short, neverFalls: true })?.rule, "fell")
    // Rising again is no fall, although it was higher before.
    const again = seriesOf([...days(10, total), 1_000_500, 1_000_600], { neverFalls: true })
    assert.isUndefined(judged(again))
  })

  it("finds a standstill once, on the day on which it is no chance any more", () => {
    const moving = (at: number) => 5000 + 37 * at * (at % 2 === 0 ? 1 : -1)
    const still = (n: number) => seriesOf([...days(20, moving), ...days(n, () => 5555)])
    const rules = Array.from({ length: 8 }, (_, n) => judged(still(n + 1))?.rule)
    assert.deepStrictEqual(
      rules.map((rule) => rule === "flat"),
      [false, false, false, true, false, false, false, false]
    )
    assert.isUndefined(judged(seriesOf(days(28, () => 5555))))
  })

  it("finds a standstill once in a series that stood still before", () => {
    const moving = (at: number) => 5000 + 37 * at * (at % 2 === 0 ? 1 : -1)
    // Each of the seven values before the standstill stands twice.
    const pairs = days(14, (at) => 6000 + 41 * Math.floor(at / 2))
    const still = (n: number) => seriesOf([...days(21, moving), ...pairs, ...days(n, () => 5555)])
    const flat = Array.from({ length: 40 }, (_, n) => judged(still(n + 1))).filter(
      (finding) => finding?.rule === "flat"
    )
    assert.strictEqual(flat.length, 1)
    // Seven of 28 moves: (8 / 30) ^ 7 is the first below 0.0001, and the value stands an eighth time.
    assert.strictEqual(flat[0]?.baseline_days, 28)
    assert.include(flat[0]?.why, "8 in a row; of the 28 changes before, 7 were 0")
  })
})

describe("rules beside others", () => {
  const second = (last: number) =>
    seriesOf([...days(20, (at) => calm(at) + 2), last], { source: "b", unit: "usd" })

  it("finds the source that left the other, and not the one that stayed", () => {
    const first = seriesOf([...days(20), 1300], { unit: "usd" })
    assert.strictEqual(judged(first, [second(1003)])?.rule, "source")
    assert.isUndefined(judged(second(1003), [first]))
    assert.strictEqual(judged(first, [second(1300)])?.rule, "level")
  })

  it("finds who left its peers within its own usual range", () => {
    const swing = (at: number) => 1000 * Math.exp(0.3 * Math.sin(at))
    const peers = Array.from({ length: 6 }, (_, n) =>
      seriesOf(
        days(21, (at) => 50 * (n + 1) * swing(at)).map((value) => Math.round(value * 1000)),
        { symbol: `PEER${n}`, unit: "usd" }
      )
    )
    const own = days(20, (at) => swing(at))
    const last = own[18] ?? 0
    const finding = judged(seriesOf([...own, last * 1.01], { unit: "usd" }), peers)
    assert.isUndefined(judged(seriesOf([...own, swing(20)], { unit: "usd" }), peers))
    assert.strictEqual(finding?.rule, "peer")
    assert.strictEqual(finding?.beside?.n, 7)
  })
})

it("begins anew after days without a value", () => {
  const before = seriesOf(days(20)).days
  const after = [24, 25].map((at) => ({ date: dateAt(at), value: 1700 }))
  assert.isUndefined(judged({ ...seriesOf([]), days: [...before, ...after] }))
})
