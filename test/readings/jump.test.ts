/** The guard upwards: planted changes of a unit in series of every kind, and honest series that must pass. */
import { assert, describe, it } from "@effect/vitest"
import type { Metric } from "../../core/plugin/Manifest.ts"
import { isNearerToHeld, jumpOf } from "../../core/readings/ingest/jump.ts"

const nodes: Metric = { unit: "count", min: 0, meaning: "Nodes." }
const price: Metric = { unit: "usd", min: 0, meaning: "A price." }

/** A generator of numbers from 0 to 1 (mulberry32): the same series in each run of the test. */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}

/** Normal with mean 0 and standard deviation 1 (Box and Muller). */
const normalOf = (random: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Daily values of a series whose logarithm moves by `spread` per day, or lies around its mean with it (`thin`). */
const daysOf = (seed: number, spread: number, thin: boolean, length = 31): ReadonlyArray<number> => {
  const normal = normalOf(randomOf(seed))
  let level = Math.log(10_000)
  return Array.from({ length }, () => {
    const step = spread * normal()
    if (!thin) level += step
    return Math.exp(thin ? level + step : level)
  })
}

const classes = [
  { name: "steady (0.5 % per day)", spread: 0.005, thin: false, isSteady: true },
  { name: "growing and shrinking (5 % per day)", spread: 0.05, thin: false, isSteady: true },
  { name: "prices (8 % per day)", spread: 0.08, thin: false, isSteady: true },
  { name: "volumes (log sd 0.35)", spread: 0.35, thin: true, isSteady: false },
  { name: "thin volumes (log sd 0.7)", spread: 0.7, thin: true, isSteady: false }
]

const n = 2000

/** Of `n` series of a class, how many hold the last day times a factor. */
const countHeld = ({ spread, thin }: (typeof classes)[number], factor: number): number =>
  Array.from({ length: n }, (_, seed) => {
    const days = daysOf(seed + 1, spread, thin)
    const past = days.slice(0, -1)
    const last = past.at(-1) ?? 1
    return jumpOf(price, (factor === 1 ? (days.at(-1) ?? last) : last) * factor, last, past)
  }).filter((jump) => jump !== undefined).length

const morning: Metric = { unit: "mw", min: 0, meaning: "Power of the sun." }

describe("a rise of each morning", () => {
  const nights = Array.from({ length: 30 }, () => 1)

  it("passes where the same hour was as high on seven days", () => {
    assert.isDefined(jumpOf(morning, 400, 2, nights))
    assert.isUndefined(jumpOf(morning, 400, 2, nights, [150, 180, 200, 190, 210, 170, 160]))
    assert.isDefined(jumpOf(morning, 400, 2, nights, [150, 180, 200, 190, 210, 170]))
  })

  it("is held where it goes beyond twice the highest of them, as with another unit", () => {
    const hours = [150, 180, 200, 190, 210, 170, 160]
    assert.isUndefined(jumpOf(morning, 420, 2, nights, hours))
    assert.isDefined(jumpOf(morning, 421, 2, nights, hours))
    assert.isDefined(jumpOf(morning, 200_000, 2, nights, hours))
  })
})

describe.each(classes)("$name", (series) => {
  it("holds a factor of 10 where it is steady, of 1,000 everywhere, and of a billion", () => {
    if (series.isSteady) assert.strictEqual(countHeld(series, 10), n)
    assert.strictEqual(countHeld(series, 1000), n)
    assert.strictEqual(countHeld(series, 1024), n)
    assert.strictEqual(countHeld(series, 1e9), n)
  })

  it(`passes an ordinary next day: at most 1 in ${n}`, () => {
    if (series.spread < 0.7) assert.isAtMost(countHeld(series, 1), 1)
    // A restless market: 1 in 500 is the price of catching a factor of 1,000.
    else assert.isAtMost(countHeld(series, 1), n / 500)
  })
})

describe("a rise", () => {
  const week = Array.from({ length: 7 }, () => 1000)

  it("is held above five times the last value, and not at it", () => {
    assert.isUndefined(jumpOf(price, 5000, 1000, week))
    assert.isDefined(jumpOf(price, 5001, 1000, week))
  })

  it("to less than twice what the series was within the 30 days is none", () => {
    assert.isUndefined(jumpOf(price, 6000, 1000, [3000, ...week]))
    assert.isDefined(jumpOf(price, 6001, 1000, [3000, ...week]))
  })

  it("of a young series is held above a hundred times alone", () => {
    assert.isUndefined(jumpOf(price, 100_000, 1000, week.slice(1)))
    assert.isDefined(jumpOf(price, 100_001, 1000, week.slice(1)))
    assert.isDefined(jumpOf(price, 100_001, 1000, []))
  })

  it("of a count by fewer than ten passes: from 1 node to 10 is a launch", () => {
    assert.isUndefined(
      jumpOf(
        nodes,
        10,
        1,
        week.map(() => 1)
      )
    )
    assert.isDefined(
      jumpOf(
        nodes,
        11,
        1,
        week.map(() => 1)
      )
    )
    assert.isDefined(
      jumpOf(
        price,
        10,
        1,
        week.map(() => 1)
      )
    )
  })

  it("of what is no multiple is left to its bounds: shares, ranks, and what may be negative", () => {
    for (const metric of [
      { ...price, unit: "percent" },
      { ...price, unit: "rank" },
      { unit: "usd", meaning: "A balance." }
    ] as const) {
      assert.isUndefined(
        jumpOf(
          metric,
          1e9,
          1,
          week.map(() => 1)
        )
      )
    }
  })

  it("of a metric that may jump is held above a million times alone", () => {
    const fees = { ...price, mayJump: "Fees of one block may be all of a day's." }
    assert.isUndefined(jumpOf(fees, 1e9, 1000, week))
    assert.isDefined(jumpOf(fees, 1.1e9, 1000, week))
  })

  it("names the unit that may have changed, and says what a second run is worth", () => {
    const moderate = jumpOf(price, 6000, 1000, week)
    assert.deepInclude(moderate, { isWeak: true, reason: "6000 is 6 times 1000, the last accepted value" })
    const likely = jumpOf(price, 1_024_000, 1000, week)
    assert.isFalse(likely?.isWeak)
    assert.match(likely?.reason ?? "", /1,024 times 1000.*about 1,000, as where the unit of the upstream/)
    assert.isTrue(jumpOf(price, 9500, 1000, week)?.isWeak)
    assert.isFalse(jumpOf(price, 9501, 1000, week)?.isWeak)
  })

  it("is confirmed by a value nearer to it than to the last, as factors go", () => {
    assert.isTrue(isNearerToHeld(2500, 6000, 1000))
    assert.isFalse(isNearerToHeld(2400, 6000, 1000))
    assert.isFalse(isNearerToHeld(0, 6000, 1000))
  })
})
