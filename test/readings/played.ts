/** Series played through the guards as ingest judges them: what is held, what is served, and what of it carries a mark. */
import { checkGuards } from "../../core/readings/ingest/compare/guards.ts"
import {
  type Figure,
  fewestDays,
  type HeldReading,
  isOfLevel,
  isSettled
} from "../../core/readings/ingest/compare/scale.ts"

const day = 86_400_000

/** How a reading fared. `marked`: its leaf is, because the series is young or two of its levels are in doubt. */
export interface Fared {
  readonly held: boolean
  readonly marked: boolean
}

/** Plays readings from the first of a series on, one a run; `asOf` in epoch milliseconds. */
export const play = (
  figure: Figure,
  readings: ReadonlyArray<{ readonly value: number; readonly asOf: number }>
): ReadonlyArray<Fared> => {
  const began = readings[0]?.asOf ?? 0
  const days = new Map<number, number>()
  let last: { readonly value: number; readonly asOf: number } | undefined
  let levels: ReadonlyArray<number> = []
  let withheld: ReadonlyArray<HeldReading> = []
  let inDoubt = false
  return readings.map(({ asOf, value }, n) => {
    const past = { days: [...days.values()], hours: [], inDoubt }
    const guarded = checkGuards(figure, value, last?.value, { past })
    const isHeld = ((): boolean => {
      if (guarded === undefined) return false
      withheld = [...withheld, { value, asOf, run: String(n) }]
      const level = levels.find((one) => isOfLevel(value, one))
      if (level !== undefined && guarded.guard !== "bounds" && isSettled(level, withheld)) {
        levels = levels.filter((one) => one !== level)
        inDoubt = true
        return false
      }
      if (level === undefined) levels = [...levels, value]
      return true
    })()
    if (!isHeld) {
      last = { value, asOf }
      withheld = []
      days.set(Math.floor(asOf / day), value)
    }
    return { held: isHeld, marked: asOf < began + fewestDays * day || inDoubt }
  })
}

/** The factors that a unit may be wrong by, up and down. */
export const factors = [10, 50, 1000, 1024].flatMap((factor) => [factor, 1 / factor])

/** The days on which a factor is planted: each of the first ten but the very first, which has nothing before it, and that one too. */
export const plantedDays = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

/** What became of a factor that was planted for a while: whether it was caught, and how many true runs were held after it. */
export interface Planted {
  /** Held, or served with a mark, in each of its readings. */
  readonly caught: boolean
  /** Held in its first reading. */
  readonly heldAtOnce: boolean
  /** True readings that were held after it, before one was served. */
  readonly until: number
  /** Whether the first true one that was served carries a mark; true if none was held. */
  readonly marked: boolean
}

/** Plants a factor into the readings from one place to before another. */
export const plant = (
  figure: Figure,
  readings: ReadonlyArray<{ readonly value: number; readonly asOf: number }>,
  factor: number,
  from: number,
  to: number
): Planted => {
  const whole = figure.metric.unit === "count"
  const wrong = (value: number) => (whole ? Math.round(value * factor) : value * factor)
  const fared = play(
    figure,
    readings.map((one, n) => (n >= from && n < to ? { ...one, value: wrong(one.value) } : one))
  )
  const bad = fared.slice(from, to)
  const after = fared.slice(to)
  const until = after.findIndex(({ held: isHeld }) => !isHeld)
  return {
    caught: bad.every(({ held: isHeld, marked }) => isHeld || marked),
    heldAtOnce: bad[0]?.held === true,
    until: until < 0 ? after.length : until,
    marked: until <= 0 || after[until]?.marked === true
  }
}
