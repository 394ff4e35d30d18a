/**
 * The guard of the scale: a value that is many times the last accepted one, or a small part of it. Units that change (wei and
 * ether, bytes and GiB, a factor of 100) move a figure up as often as down, so that it is one rule with two signs. A pure
 * function of the metric, the value, and what is known of the series.
 *
 * Tried on the series of the demo and on simulated launches (`test/bench/README.md` has the figures). After the first week the
 * largest factor between two days catches a factor of 10 in 98.6 % of steady series; median and MAD caught 60 %.
 */
import type { Metric } from "../../../plugin/Manifest.ts"
import { hour } from "../../../plugin/time.ts"
import { has } from "../../../plugin/units.ts"

/** Days of a series before a value that it is compared with. */
export const daysBefore = 30

/** Fewer days say nothing about how a series moves: until then it is young. */
export const fewestDays = 7

/** A move by a smaller factor is never held: real series move so between two readings. */
export const smallestFactor = 5

/** However wildly a series moves, a move by more than this factor is held. */
const largestFactor = 100

/** Counts that move by fewer than this pass: from 1 to 8 nodes is a launch. */
export const smallestMove = 10

/** Below this count a young series is small: three nodes are easily fifteen a day later. */
const smallCount = 100

/** A small young count is held from here on: below a tenfold by what rounding to whole things does to one. */
const factorOfSmallCounts = 9.5

/** What is summed over a window moves far in its first days, which a window of 24 hours has only partly seen. */
const factorOfFlows = 50

/** For a metric that `mayJump`: by more than a million, a unit has changed. */
const factorOfJumping = 1e6

/** Readings of one level lie within this factor of it. */
export const levelFactor = 1.5

/** So many later runs at a held level settle it: an upstream that answered once by mistake is right again by then. */
export const laterRuns = 3

/** One later run settles a level where it was read so much later: where a feed runs daily. */
export const nearlyDay = 20 * hour

/** What a value of a series is compared with, besides the last accepted one. */
export interface Past {
  /** The last accepted values of the 30 days before, one per day, in their order. */
  readonly days: ReadonlyArray<number>
  /** Accepted values of the same hour on those days. */
  readonly hours: ReadonlyArray<number>
  /** True while two levels of the series are in doubt: then its days say nothing about how far it may move. */
  readonly inDoubt: boolean
}

export const noPast: Past = { days: [], hours: [], inDoubt: false }

/** A metric with the name that it has in a row: a family's member has one of its own. */
export interface Figure {
  readonly name: string
  readonly metric: Metric
}

/** Whether a figure is summed over a window of time, by its name; a price within a window and a total of all time are none. */
export const isFlow = (name: string): boolean =>
  /(^|_)(\d+[hdm]|volume|fees|spend|revenue|earnings)(_|$)|_epoch$/i.test(name) &&
  !/(^|_)(price|open|high|low|close|total)(_|$)/i.test(name)

/** By what factor two positive values differ, up or down. */
const factorOf = (a: number, b: number): number => (a > b ? a / b : b / a)

/** Whether values of a metric move by factors at all: no shares, ranks, dates, or what may be negative. */
export const isScaled = ({ min, unit }: Metric): boolean =>
  min !== undefined && min >= 0 && !has(unit, "unscaled")

/** Whether a value is far enough from the last accepted one to ask for the past of the series. From and to 0 there is no factor. */
export const isSuspect = (metric: Metric, value: number, last: number): boolean =>
  last > 0 &&
  value > 0 &&
  factorOf(value, last) >= smallestFactor &&
  isScaled(metric) &&
  !(has(metric.unit, "single") && Math.abs(value - last) < smallestMove)

const isYoung = ({ days }: Past): boolean => days.filter((day) => day > 0).length < fewestDays

/** The largest factor between a day and the next. */
const largestStep = (days: ReadonlyArray<number>): number =>
  days.reduce((most, day, index) => Math.max(most, factorOf(day, days[index - 1] ?? day)), 1)

/**
 * Whether the series was about there before and came from there at once: within the 30 days, or at this hour on seven of them, as the
 * power of the sun is each morning and each night. Where it came from slowly, as a launch grows, it does not return at once. Of a young
 * series nothing is known, unless a level is in doubt: then both its levels are served and marked.
 */
export const isWhereItWas = (value: number, last: number, past: Past): boolean => {
  if (isYoung(past) && !past.inDoubt) return false
  const { hours } = past
  const days = past.days.filter((day) => day > 0)
  const within = (values: ReadonlyArray<number>): boolean =>
    value > last ? value <= 2 * Math.max(...values) : value >= Math.min(...values) / 2
  // Twice the step, as for the value itself; a little more, since the two are rounded.
  const cameAtOnce = past.inDoubt || 2.000001 * largestStep([...days, last]) >= factorOf(value, last)
  return (days.length > 0 && cameAtOnce && within(days)) || (hours.length >= fewestDays && within(hours))
}

/** Why a value is held that has another scale than the last accepted one; undefined where it passes. */
export const rescaled = ({ metric, name }: Figure, value: number, last: number, past: Past = noPast) => {
  if (!isSuspect(metric, value, last)) return undefined
  const factor = factorOf(value, last)
  const isFar =
    isYoung(past) || past.inDoubt
      ? factor >= limitOfYoung({ metric, name }, last)
      : factor > limitOf(metric, past.days)
  if (!isFar || isWhereItWas(value, last, past)) return undefined
  const unit = likelyUnit(factor)
  const times = value > last ? `${rounded(factor)} times` : `1/${rounded(factor)} of`
  return (
    `${value} is ${times} ${last}, the last accepted value` +
    (unit === undefined ? "" : `: about ${unit}, as where the unit of the upstream has changed`)
  )
}

/** The factor from which on a move of a young series is held. */
const limitOfYoung = ({ metric, name }: Figure, last: number): number => {
  if (metric.mayJump !== undefined) return factorOfJumping
  if (isFlow(name)) return factorOfFlows
  return has(metric.unit, "single") && last < smallCount ? factorOfSmallCounts : smallestFactor
}

/** The largest factor by which a series may move at once, by how it moved before. */
const limitOf = (metric: Metric, all: ReadonlyArray<number>): number => {
  if (metric.mayJump !== undefined) return factorOfJumping
  const step = largestStep(all.filter((day) => day > 0))
  return Math.max(smallestFactor, Math.min(largestFactor, step ** 1.5))
}

/** A reading that is held back. `asOf` in epoch milliseconds. */
export interface HeldReading {
  readonly value: number
  readonly asOf: number
  readonly run: string
}

/** Whether a value is of a level. */
export const isOfLevel = (value: number, level: number): boolean =>
  value === level ||
  (value !== 0 &&
    level !== 0 &&
    value > 0 === level > 0 &&
    factorOf(Math.abs(value), Math.abs(level)) <= levelFactor)

/**
 * Whether a held level is settled: three later runs lie within 1.5 of it, or one that read it a day later. `readings` are those
 * that were held since the last accepted one, oldest first; one of another level, and an accepted one, begin anew.
 */
export const isSettled = (level: number, readings: ReadonlyArray<HeldReading>): boolean => {
  const streak = readings.slice(readings.findLastIndex(({ value }) => !isOfLevel(value, level)) + 1)
  const [first, newest] = [streak[0], streak.at(-1)]
  if (first === undefined || newest === undefined) return false
  const later = new Set(streak.map(({ run }) => run)).size - 1
  return later >= laterRuns || (later >= 1 && newest.asOf - first.asOf >= nearlyDay)
}

/** Factors between two units of the same thing, such as wei and ether, or bytes and GiB. */
export const unitFactors: ReadonlyArray<number> = [
  10,
  100,
  1000,
  1024,
  1e6,
  1024 ** 2,
  1e9,
  1024 ** 3,
  1e12,
  1e18
]

/** The share by which a factor may differ from one of `unitFactors`. */
export const unitTolerance = 0.05

/** The one of `unitFactors` that a factor is within `unitTolerance` of. */
export const likelyUnit = (factor: number): string | undefined =>
  unitFactors
    .filter((power) => Math.abs(factor / power - 1) <= unitTolerance)
    .map((power) => power.toLocaleString("en"))[0]

const rounded = (factor: number): string =>
  factor >= 100 ? Math.round(factor).toLocaleString("en") : String(Math.round(factor * 10) / 10)
