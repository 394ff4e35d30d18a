/** Simulated launches: the first two weeks of series, which the demo has none of. */

/** A generator of numbers from 0 to 1 (mulberry32): the same series in each run of the test. */
export const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}

/** Normal with mean 0 and standard deviation 1 (Box and Muller). */
export const normalOf = (random: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

type Normal = () => number

/** A way in which a series begins, and the values of its days. */
export interface Launch {
  readonly name: string
  readonly metric: string
  readonly unit: "count" | "usd" | "bytes" | "tokens"
  readonly days: (seed: number, length: number) => ReadonlyArray<number>
}

/** A level that grows by a share a day, with noise: the logarithm of the first value, growth and noise a day. */
const growing =
  (
    first: readonly [least: number, most: number],
    growth: number,
    noise: number,
    round: (x: number) => number
  ) =>
  (seed: number, length: number): ReadonlyArray<number> => {
    const random = randomOf(seed)
    const normal: Normal = normalOf(random)
    let level = Math.log(first[0]) + random() * (Math.log(first[1]) - Math.log(first[0]))
    return Array.from({ length }, (_, day) => {
      // A launch slows down: the growth of a day halves every three days.
      level += growth * 0.5 ** (day / 3) * random() * 2 + noise * normal()
      return Math.max(0, round(Math.exp(level)))
    })
  }

/** Values around a mean, each day by itself. */
const around =
  (noise: number) =>
  (seed: number, length: number): ReadonlyArray<number> => {
    const random = randomOf(seed)
    const normal = normalOf(random)
    const mean = Math.log(1000) + random() * Math.log(1000)
    return Array.from({ length }, () => Math.exp(mean + noise * normal()))
  }

const exact = (value: number) => value
const eights = (value: number) => 8 * Math.round(value / 8)

export const launches: ReadonlyArray<Launch> = [
  {
    name: "small counts",
    metric: "nodes_online",
    unit: "count",
    days: growing([2, 60], 0.5, 0.1, Math.round)
  },
  {
    name: "counts",
    metric: "nodes_online",
    unit: "count",
    days: growing([100, 20_000], 0.3, 0.05, Math.round)
  },
  {
    name: "GPUs in eights",
    metric: "gpus_online",
    unit: "count",
    days: growing([16, 400], 0.4, 0.05, eights)
  },
  { name: "capacity", metric: "storage_bytes", unit: "bytes", days: growing([1e12, 1e16], 0.4, 0.05, exact) },
  { name: "prices", metric: "price_usd", unit: "usd", days: growing([0.001, 10], 0, 0.15, exact) },
  { name: "flows", metric: "fees_24h_usd", unit: "usd", days: around(0.6) },
  { name: "restless flows", metric: "volume_24h_usd", unit: "usd", days: around(1.5) }
]
