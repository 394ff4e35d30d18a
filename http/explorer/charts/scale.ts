/** From values and days to pixels. */
import { day as dayMs } from "../../../core/plugin/time.ts"
import { at } from "./xml.ts"

export interface Point {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly value: number
  /** True while the day is not closed, so that its value can still change. */
  readonly open?: boolean | undefined
}

export const dayNumber = (date: string): number => Math.round(Date.parse(`${date}T00:00:00Z`) / dayMs)
export const dateOfDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** The smallest round step that is at least `rough`. */
const roundStep = (rough: number): number => {
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10)
}

/** Round values for an axis: at most `most` of them, inside of the range that they give. */
export const ticks = (from: number, to: number, most: number): ReadonlyArray<number> => {
  const rough = (to - from) / Math.max(1, most)
  return rough > 0 && Number.isFinite(rough) ? multiplesOf(roundStep(rough), from, to) : [from]
}

/** The same of things that are counted one by one: half a thing is no value. */
export const wholeTicks = (from: number, to: number, most: number): ReadonlyArray<number> => {
  const rough = (to - from) / Math.max(1, most)
  const step = rough > 1 ? roundStep(rough) : 1
  return Number.isFinite(rough) ? multiplesOf(Number.isInteger(step) ? step : step * 2, from, to) : [from]
}

const multiplesOf = (step: number, from: number, to: number): ReadonlyArray<number> => {
  const first = Math.ceil(from / step)
  const last = Math.floor(to / step)
  return Array.from({ length: Math.max(0, last - first) + 1 }, (_, n) =>
    Number(((first + n) * step).toPrecision(12))
  )
}

/** The range of some values with room above and below; never empty, and never below 0 unless a value is. */
export const rangeOf = (values: ReadonlyArray<number>): readonly [number, number] => {
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  if (!(high >= low)) return [0, 1]
  const room = high === low ? Math.abs(high) * 0.05 || 1 : (high - low) * 0.12
  const from = low - room
  return [low >= 0 && from < 0 ? 0 : from, high + room]
}

/** Runs of consecutive days: a missing day is a gap in the line, never a slope. */
export const runsOf = (points: ReadonlyArray<Point>): ReadonlyArray<ReadonlyArray<Point>> => {
  const runs: Array<Array<Point>> = []
  let before = Number.NEGATIVE_INFINITY
  for (const point of points) {
    const day = dayNumber(point.date)
    const run = runs.at(-1)
    if (run !== undefined && day === before + 1) run.push(point)
    else runs.push([point])
    before = day
  }
  return runs
}

export type Place = (point: Point) => readonly [x: number, y: number]

export const pathOf = (points: ReadonlyArray<Point>, place: Place): string =>
  points.map((point, n) => `${n === 0 ? "M" : "L"}${place(point).map(at).join(" ")}`).join("")
