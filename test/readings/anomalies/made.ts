/**
 * Made-up series that are harder than the demo's, whose numbers only swing a little: moves with heavy tails, weekends, launches that
 * are real, small counts, counters, settings that change once, and second sources. Nothing in them is wrong.
 */
import { day } from "../../../core/plugin/time.ts"
import type { JudgedSeries } from "../../../core/readings/anomalies/series.ts"
import { factorBetween, normal, oneOf, randomOf } from "./random.ts"

const first = Date.UTC(2026, 5, 1)
const categories = ["storage", "compute", "wireless", "sensors"] as const

/** The date of a place in a series. */
export const dateAt = (n: number): string => new Date(first + n * day).toISOString().slice(0, 10)

/** Student's t with three degrees of freedom: daily returns of young markets have about such tails. */
const heavy = (random: () => number): number =>
  normal(random) / Math.sqrt((normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2) / 3)

interface Values {
  readonly unit: string
  readonly values: ReadonlyArray<number>
}

/** How a series goes, in so many days. */
type Course = (random: () => number, days: number) => Values

const walk =
  (unit: string, tail: (random: () => number) => number, [low, high]: readonly [number, number]): Course =>
  (random, days) => {
    const [size, week] = [factorBetween(random, low, high), random() < 0.3 ? 0.3 * random() : 0]
    let level = Math.log(factorBetween(random, 50, 1e6))
    return {
      unit,
      values: Array.from({ length: days }, (_, n) => {
        level += size * tail(random) + (random() < 0.002 ? normal(random) : 0)
        const value = Math.exp(level - (n % 7 < 2 ? week : 0))
        return unit === "count" ? Math.round(value) : Number(value.toPrecision(8))
      })
    }
  }

const counter: Course = (random, days) => {
  let total = factorBetween(random, 1e3, 1e8)
  const pace = total * factorBetween(random, 1e-4, 1e-2)
  const values = Array.from({ length: days }, () => {
    total += pace * 2 * random()
    return Math.round(total)
  })
  return { unit: "count", values }
}

const share: Course = (random, days) => {
  const [middle, size] = [100 * random(), factorBetween(random, 0.05, 4)]
  return {
    unit: "percent",
    values: Array.from({ length: days }, () =>
      Number(Math.min(100, Math.max(0, middle + size * normal(random))).toFixed(2))
    )
  }
}

const setting: Course = (random, days) => {
  const [value, change] = [Math.round(factorBetween(random, 10, 1e5)), Math.floor(random() * 3 * days)]
  return { unit: "tokens", values: Array.from({ length: days }, (_, n) => (n < change ? value : 2 * value)) }
}

const sparse: Course = (random, days) => ({
  unit: "count",
  values: Array.from({ length: days }, () => Math.floor(-Math.log(1 - random()) * 3))
})

const change: Course = (random, days) => ({
  unit: "pct",
  values: Array.from({ length: days }, () => Number((5 * heavy(random)).toFixed(2)))
})

const courses: ReadonlyArray<Course> = [
  walk("usd", heavy, [0.01, 0.08]),
  walk("count", heavy, [0.002, 0.03]),
  walk("tokens", normal, [0.005, 0.1]),
  walk("bytes", normal, [0.001, 0.02]),
  counter,
  share,
  setting,
  sparse,
  change
]

/** So many networks, each with one metric of each course; a tenth of the figures have a second source that reads nearly the same. */
export const madeSeries = (seed: number, networks: number, days: number): ReadonlyArray<JudgedSeries> => {
  const random = randomOf(seed)
  return Array.from({ length: networks }, (_, network) => network).flatMap((network) => {
    const category = oneOf(random, categories)
    return courses.flatMap((course, n): ReadonlyArray<JudgedSeries> => {
      const { unit, values } = course(random, days)
      const series = (source: string, noise: number): JudgedSeries => ({
        symbol: `MADE${network}`,
        metric: `metric_${n}`,
        source,
        unit,
        category,
        neverFalls: false,
        mayBeZero: course === sparse,
        mayJump: false,
        days: values.map((value, at) => {
          const read = value * (1 + noise * normal(random))
          return { date: dateAt(at), value: Number.isInteger(value) ? Math.round(read) : read }
        })
      })
      return [series("a", 0), ...(random() < 0.1 ? [series("b", 0.002)] : [])]
    })
  })
}
