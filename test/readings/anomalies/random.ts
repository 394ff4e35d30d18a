/** Seeded random numbers: the same faults and the same series in every run. */

/** Numbers in [0, 1): mulberry32, by Tommy Ettinger, in the public domain. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of a list that has any. */
export const oneOf = <A>(random: () => number, list: ReadonlyArray<A>): A | undefined =>
  list[Math.floor(random() * list.length)]

/** Between two positive numbers, each factor as likely as the next. */
export const factorBetween = (random: () => number, low: number, high: number): number =>
  low * (high / low) ** random()

/** A number of the standard normal distribution (Box and Muller 1958). */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
