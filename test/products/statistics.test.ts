import { assert, describe, it } from "@effect/vitest"
import { EMA, RSI, SMA } from "trading-signals"
import { stretches } from "../../core/products/crypto_indicators/build.ts"
import { computeIndicators } from "../../core/products/crypto_indicators/computeIndicators.ts"
import { probabilitiesOf } from "../../core/products/market_regime/build.ts"
import { correlation } from "../../core/products/shared/correlation.ts"
import { herfindahl, quotient, sharesOf } from "../../core/products/shared/inputs.ts"
import { changes, qValues } from "../../core/products/shared/statistics.ts"
import type { Bar } from "../../core/wire/products/bars.ts"

const close = (a: number | null | undefined, b: number, within: number) =>
  assert.closeTo(a ?? Number.NaN, b, within)

const bar = (close: number, n: number, volume = 1): Bar => ({
  as_of: new Date(n * 3_600_000).toISOString(),
  open: close,
  high: close + 1,
  low: close - 1,
  close,
  volume
})

describe("correlation", () => {
  it("gives Anscombe's r and the p-values of R's cor.test", () => {
    const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    const result = correlation(x, y)
    close(result?.r, 0.81642051634484, 1e-12)
    close(result?.p, 0.00216962887307879, 1e-8)
  })

  it("has none for constant sides and short ones, and survives the largest numbers", () => {
    assert.isUndefined(correlation([1, 1, 1, 1], [1, 2, 3, 4]))
    assert.isUndefined(correlation([1, 2], [2, 1]))
    assert.isUndefined(correlation([1, 2, 3], [2, 1]))
    close(correlation([1e300, 2e300, 4e300], [3e300, 5e300, 9e300])?.r, 1, 1e-12)
    assert.deepStrictEqual(correlation([1, 2, 3, 4], [-1, -2, -3, -4]), { r: -1, p: 0 })
  })
})

describe("correlation at its edges", () => {
  it("keeps ties, and the digits of the smallest p-values", () => {
    // t = r √((n - 2) / (1 - r²)) at n = 3 is the Cauchy distribution.
    close(correlation([1, 2, 2], [1, 1, 3])?.r, 0.5, 1e-12)
    close(correlation([1, 2, 2], [1, 1, 3])?.p, 1 - (2 / Math.PI) * Math.atan(0.5 / Math.sqrt(0.75)), 1e-9)
    const x = Array.from({ length: 100 }, (_, n) => n)
    const p = correlation(
      x,
      x.map((value) => value + (value % 2))
    )?.p
    assert.isAbove(p ?? 0, 0)
    assert.isBelow(p ?? 1, 1e-100)
  })

  it("has none where a number is not finite, and none that leaves -1 to 1", () => {
    assert.isUndefined(correlation([1, 2, Number.NaN], [1, 2, 3]))
    assert.isUndefined(correlation([1, 2, Number.POSITIVE_INFINITY], [1, 2, 3]))
    assert.isUndefined(correlation([], []))
    const result = correlation([0.1, 0.2, 0.3, 0.7], [0.3, 0.6, 0.9, 2.1])
    assert.isAtMost(result?.r ?? 2, 1)
    close(result?.p, 0, 1e-12)
  })
})

describe("q-values", () => {
  it("are those of R's p.adjust(method = BH), ties included", () => {
    const q = qValues([0.01, 0.04, 0.03, 0.005, 0.04])
    for (const [n, expected] of [0.025, 0.04, 0.04, 0.025, 0.04].entries()) close(q[n], expected, 1e-12)
    // Benjamini and Hochberg 1995, section 3.1, adjusted by R.
    const p = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
      0.759, 1
    ]
    const adjusted = [
      0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714, 0.06385714, 0.0645, 0.0765, 0.486, 0.58118182,
      0.714875, 0.75323077, 0.81321429, 1
    ]
    for (const [n, value] of qValues(p).entries()) close(value, adjusted[n] ?? Number.NaN, 5e-9)
    assert.deepStrictEqual(qValues([]), [])
    assert.deepStrictEqual(qValues([1]), [1])
  })
})

describe("indicators", () => {
  it("agree with the published RSI example of StockCharts", () => {
    const closes = [
      44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
      46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439
    ]
    const rsi = computeIndicators(closes.map((value, n) => bar(value, n))).map(({ rsi_14 }) => rsi_14)
    assert.isNull(rsi[13])
    for (const [n, expected] of [70.53, 66.32, 66.55, 69.41, 66.36, 57.97].entries()) {
      close(rsi[14 + n], expected, 0.01)
    }
    const library = new RSI(14)
    for (const value of closes) library.add(value)
    close(rsi.at(-1), library.getResultOrThrow(), 1e-12)
  })

  it("are the means that their definitions say", () => {
    const closes = Array.from({ length: 100 }, (_, n) => 100 + 10 * Math.sin(n / 5) + n / 7)
    const rows = computeIndicators(closes.map((value, n) => bar(value, n, n + 1)))
    const last20 = closes.slice(-20)
    close(rows[99]?.sma_20, last20.reduce((sum, value) => sum + value, 0) / 20, 1e-9)
    const ema = (n: number, values: ReadonlyArray<number>) =>
      values.reduce((before, value) => before + (2 / (n + 1)) * (value - before), values[0] ?? 0)
    close(rows[99]?.ema_20, ema(20, closes), 1e-9)
    const line = closes.map((_, n) => ema(12, closes.slice(0, n + 1)) - ema(26, closes.slice(0, n + 1)))
    close(rows[99]?.macd, line[99] ?? 0, 1e-9)
    close(rows[99]?.macd_signal, ema(9, line.slice(25)), 1e-9)
    close(rows[99]?.macd_histogram, (line[99] ?? 0) - ema(9, line.slice(25)), 1e-9)
    const weighed = closes.reduce((sum, value, n) => sum + value * (n + 1), 0)
    close(rows[99]?.vwap, weighed / 5050, 1e-9)
    assert.isNull(rows[18]?.sma_20)
    assert.isNull(rows[18]?.ema_20)
    assert.isNull(rows[24]?.macd)
    assert.isNumber(rows[25]?.macd)
    assert.isNull(rows[32]?.macd_signal)
    assert.isNumber(rows[33]?.macd_signal)
    const [sma, slow] = [new SMA(20), new EMA(20)]
    for (const value of closes) [sma.add(value), slow.add(value)]
    close(rows[99]?.sma_20, sma.getResultOrThrow(), 1e-12)
  })

  it("say nothing of prices that never moved or were never traded, and begin anew after a gap", () => {
    const still = computeIndicators(Array.from({ length: 40 }, (_, n) => bar(5, n, 0)))
    assert.isNull(still[39]?.rsi_14)
    assert.isNull(still[39]?.vwap)
    assert.strictEqual(still[39]?.sma_20, 5)
    const ends = [0, 1, 2, 4, 5].map((n) => n * 10)
    assert.deepStrictEqual(stretches(["a", "b", "c", "d", "e"], ends, 10), [
      ["a", "b", "c"],
      ["d", "e"]
    ])
    assert.deepStrictEqual(stretches([], [], 10), [])
    assert.deepStrictEqual(computeIndicators([]), [])
    // What no double can hold is no figure.
    const huge = computeIndicators(
      Array.from({ length: 40 }, (_, n) => bar(n % 2 === 0 ? 1.7e308 : 1, n, 1e308))
    )
    for (const row of huge) {
      for (const value of [row.sma_20, row.ema_20, row.rsi_14, row.macd, row.vwap]) {
        assert.isTrue(value === null || Number.isFinite(value))
      }
    }
  })
})

describe("changes", () => {
  it("reach across no gap and no 0", () => {
    const logChanges = changes([1, 2, 0, 4, 8, 16], [10, 20, 30, 40, 50, 70], 10)
    assert.deepStrictEqual([...logChanges.keys()], [20, 50])
    close(logChanges.get(50), Math.log(2), 1e-15)
  })
})

describe("regimes", () => {
  it("have probabilities that sum to 1, and none where an input is missing", () => {
    for (const trend of [-1e9, -1, 0, 0.3, 2, 1e9]) {
      for (const breadth of [0, 0.5, 1]) {
        for (const volatility_ratio of [0, 1, 1e9]) {
          const probabilities = probabilitiesOf({ trend, breadth, volatility_ratio })
          const sum = Object.values(probabilities ?? {}).reduce((total, value) => total + value, 0)
          close(sum, 1, 1e-12)
          assert.isTrue(Object.values(probabilities ?? {}).every((value) => value >= 0 && value <= 1))
        }
      }
    }
    assert.isNull(probabilitiesOf({ trend: null, breadth: 1, volatility_ratio: 1 }))
  })
})

describe("shares", () => {
  it("of a whole: concentration, zeros and the largest numbers", () => {
    assert.strictEqual(herfindahl([5]), 10_000)
    close(herfindahl([1, 1, 1, 1]), 2500, 1e-9)
    assert.isNull(herfindahl([0, 0]))
    assert.isNull(herfindahl([]))
    close(herfindahl([1.7e308, 1.7e308]), 5000, 1e-9)
    assert.deepStrictEqual(sharesOf([1.5e308, 0.5e308]), [0.75, 0.25])
    assert.deepStrictEqual(sharesOf([0]), [null])
    assert.isNull(quotient(1, 0))
    assert.isNull(quotient(1e308, 1e-308))
    assert.strictEqual(quotient(0, 3), 0)
  })
})
