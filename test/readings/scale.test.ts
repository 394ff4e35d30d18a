/** The guard of the scale: planted changes of a unit in series of every kind, and honest series that must pass. */
import { assert, describe, it } from "@effect/vitest"
import type { Metric } from "../../core/plugin/Manifest.ts"
import { isFlow, isSettled, type Past, rescaled } from "../../core/readings/ingest/compare/scale.ts"

const nodes: Metric = { unit: "count", min: 0, meaning: "Nodes." }
const price: Metric = { unit: "usd", min: 0, meaning: "A price." }

/** Why a value is held, of a figure with these days and hours behind it. */
const jumpOf = (
  metric: Metric,
  value: number,
  last: number,
  days: ReadonlyArray<number>,
  hours: ReadonlyArray<number> = [],
  over: Partial<Past> & { readonly name?: string } = {}
) => rescaled({ metric, name: over.name ?? "figure" }, value, last, { days, hours, inDoubt: false, ...over })

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

describe("a move of a series of a week and more", () => {
  const week = Array.from({ length: 7 }, () => 1000)

  it("is held above five times the last value and below a fifth of it, and not at them", () => {
    assert.isUndefined(jumpOf(price, 5000, 1000, week))
    assert.isDefined(jumpOf(price, 5001, 1000, week))
    assert.isUndefined(jumpOf(price, 200, 1000, week))
    assert.isDefined(jumpOf(price, 199.9, 1000, week))
  })

  it("to within a factor of two of what the series was in the 30 days is none", () => {
    assert.isUndefined(jumpOf(price, 6000, 1000, [3000, ...week]))
    assert.isDefined(jumpOf(price, 6001, 1000, [3000, ...week]))
    assert.isUndefined(jumpOf(price, 150, 1000, [300, ...week]))
    assert.isDefined(jumpOf(price, 149, 1000, [300, ...week]))
  })

  it("of a count by fewer than ten passes: from 1 node to 10 is a launch, and back", () => {
    const ones = week.map(() => 1)
    assert.isUndefined(jumpOf(nodes, 10, 1, ones))
    assert.isDefined(jumpOf(nodes, 11, 1, ones))
    assert.isDefined(jumpOf(price, 10, 1, ones))
    const tens = week.map(() => 10)
    assert.isUndefined(jumpOf(nodes, 1, 10, tens))
    assert.isDefined(
      jumpOf(
        nodes,
        1,
        11,
        tens.map((ten) => ten + 1)
      )
    )
  })

  it("of what is no multiple is left to its bounds: shares, ranks, and what may be negative", () => {
    for (const metric of [
      { ...price, unit: "percent" },
      { ...price, unit: "rank" },
      { unit: "usd", meaning: "A balance." }
    ] as const) {
      const ones = week.map(() => 1)
      assert.isUndefined(jumpOf(metric, 1e9, 1, ones))
      assert.isUndefined(jumpOf(metric, 1, 1e9, ones))
    }
  })

  it("of a metric that may jump is held above a million times alone, up and down", () => {
    const fees = { ...price, mayJump: "Fees of one block may be all of a day's." }
    assert.isUndefined(jumpOf(fees, 1e9, 1000, week))
    assert.isDefined(jumpOf(fees, 1.1e9, 1000, week))
    assert.isUndefined(jumpOf(fees, 1e-3, 1000, week))
    assert.isDefined(jumpOf(fees, 0.9e-3, 1000, week))
  })

  it("names the unit that may have changed", () => {
    assert.strictEqual(jumpOf(price, 6000, 1000, week), "6000 is 6 times 1000, the last accepted value")
    assert.match(
      jumpOf(price, 1_024_000, 1000, week) ?? "",
      /1,024 times 1000.*about 1,000, as where the unit of the upstream/
    )
    assert.match(jumpOf(price, 100, 1000, week) ?? "", /^100 is 1\/10 of 1000.*about 10, as where/)
  })
})

describe("a move of a young series", () => {
  it("is held from five times on, up and down, from the second reading on", () => {
    for (const days of [[], [1000], Array.from({ length: 6 }, () => 1000)]) {
      assert.isUndefined(jumpOf(price, 4999, 1000, days))
      assert.isDefined(jumpOf(price, 5000, 1000, days))
      assert.isUndefined(jumpOf(price, 201, 1000, days))
      assert.isDefined(jumpOf(price, 200, 1000, days))
    }
  })

  it("is held also where it was there before: of so few days, one may be the false one", () => {
    assert.isDefined(jumpOf(price, 1000, 10_000, [1000, 1000, 10_000]))
    // Both levels are served and marked by then.
    assert.isUndefined(jumpOf(price, 1000, 10_000, [1000, 1000, 10_000], [], { inDoubt: true }))
  })

  it("of a count below 100 is held from 9.5 times on", () => {
    assert.isUndefined(jumpOf(nodes, 90, 10, []))
    assert.isDefined(jumpOf(nodes, 95, 10, []))
    assert.isUndefined(jumpOf(nodes, 10, 90, []))
    assert.isDefined(jumpOf(nodes, 9, 90, []))
    assert.isDefined(jumpOf(nodes, 500, 100, []))
    assert.isDefined(jumpOf(nodes, 20, 100, []))
  })

  it("of a sum of a day is held from fifty times on", () => {
    const flow = { name: "fees_24h_usd" }
    assert.isUndefined(jumpOf(price, 49_999, 1000, [], [], flow))
    assert.isDefined(jumpOf(price, 50_000, 1000, [], [], flow))
    assert.isUndefined(jumpOf(price, 21, 1000, [], [], flow))
    assert.isDefined(jumpOf(price, 20, 1000, [], [], flow))
  })

  it("from or to 0 has no factor", () => {
    assert.isUndefined(jumpOf(price, 1e9, 0, []))
    assert.isUndefined(jumpOf(price, 0, 1e9, []))
  })
})

it("a flow is told by the window or the word in its name, and a price or a total of all time is none", () => {
  const flows = ["volume_24h_usd", "fees_7d_usd", "ohlcv_1h_volume", "SUBNET_VOLUME", "measurements_1m"]
  for (const name of [...flows, "tokens_burned_epoch", "network_revenue_usd"])
    assert.isTrue(isFlow(name), name)
  const others = ["ohlcv_1h_close", "price_high_24h_usd", "earnings_total_usd", "epoch", "nodes_online"]
  for (const name of others) assert.isFalse(isFlow(name), name)
})

describe("a series in doubt", () => {
  it("is judged as a young one: the step between its levels says nothing of how far it may move", () => {
    const days = [...Array.from({ length: 10 }, () => 1000), 10_000]
    assert.isUndefined(jumpOf(price, 300_000, 10_000, days))
    assert.isDefined(jumpOf(price, 300_000, 10_000, days, [], { inDoubt: true }))
  })
})

describe("a held level", () => {
  const reading = (value: number, hours: number, run = `run ${hours}`) => ({
    value,
    asOf: hours * 3_600_000,
    run
  })

  it("is settled by three later runs within 1.5 of it", () => {
    const readings = [reading(900, 0), reading(1000, 1), reading(600, 2)]
    assert.isFalse(isSettled(900, readings))
    assert.isTrue(isSettled(900, [...readings, reading(1350, 3)]))
    assert.isFalse(isSettled(900, [...readings, reading(1351, 3)]))
    assert.isFalse(isSettled(900, [...readings, reading(599, 3)]))
  })

  it("is settled by one that came a day later", () => {
    assert.isFalse(isSettled(900, [reading(900, 0), reading(900, 19)]))
    assert.isTrue(isSettled(900, [reading(900, 0), reading(900, 20)]))
  })

  it("is settled by runs and not by rows of one, and begins anew after another level", () => {
    const ofOne = [0, 1, 2, 3].map((hour) => reading(900, hour, "one"))
    assert.isFalse(isSettled(900, ofOne))
    const broken = [reading(900, 0), reading(900, 1), reading(90, 2), reading(900, 3), reading(900, 4)]
    assert.isFalse(isSettled(900, [...broken, reading(900, 5)]))
    assert.isTrue(isSettled(900, [...broken, reading(900, 5), reading(900, 6)]))
  })

  it("of 0 is settled by zeros alone", () => {
    assert.isTrue(
      isSettled(
        0,
        [0, 1, 2, 3].map((hour) => reading(0, hour))
      )
    )
    assert.isFalse(isSettled(0, [0, 1, 2].map((hour) => reading(0, hour)).concat(reading(0.1, 3))))
  })
})
