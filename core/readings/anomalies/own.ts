/** Rules on a series by itself. Each is given the days of `windowOf`, at least `constants.fewest` moves before the last. */
import { has } from "../../plugin/units.ts"
import type { DatedValue } from "../change.ts"
import { likelyUnit, smallestMove } from "../ingest/compare/scale.ts"
import { constants } from "./constants.ts"
import type { Finding } from "./finding.ts"
import { measureOf, ownUnit } from "./measure.ts"
import { isOutside, lastStep, type Step } from "./path.ts"
import { changeText, short, usualText } from "./sentences.ts"
import { type JudgedSeries, windowOf } from "./series.ts"

/** The days of a judgement, taken apart. */
export interface Judged {
  readonly series: JudgedSeries
  readonly day: DatedValue
  readonly before: DatedValue
  /** Those before the judged one, oldest first; `before` is the last. */
  readonly baseline: ReadonlyArray<DatedValue>
}

/** Where things are counted one by one, a move by a few is small: a network of three nodes doubles in a day. */
export const isSmall = ({ before, day, series }: Judged): boolean =>
  has(series.unit, "single") && Math.abs(day.value - before.value) < smallestMove

const valuesOf = (days: ReadonlyArray<DatedValue>): ReadonlyArray<number> => days.map(({ value }) => value)

/** The last step of the values in their own unit. */
const inOwnUnit = ({ baseline, day, series }: Judged): Step | undefined => {
  const values = valuesOf([...baseline, day])
  return lastStep(values, ownUnit(series.unit, values).least)
}

/** `zero`: it is 0, and was not on any day of the baseline. */
export const zero = (judged: Judged): Finding | undefined => {
  const { baseline, before, day, series } = judged
  const scaled = measureOf(series.unit, valuesOf(baseline)) !== undefined
  if (!scaled || day.value !== 0 || isSmall(judged)) return undefined
  if (baseline.some(({ value }) => value === 0)) return undefined
  const step = inOwnUnit(judged)
  if (step === undefined) return undefined
  const values = valuesOf(baseline)
  return {
    rule: "zero",
    day,
    before,
    score: step.score,
    low: Math.min(...values),
    high: Math.max(...values),
    baseline_days: step.n,
    why: `It fell to 0 on ${day.date} from ${short(before.value)} on ${before.date}; it was not 0 on any of the ${baseline.length} closed days before.`
  }
}

/** `sign`: it has another sign than on every day of the baseline, by a move that is itself unusual. */
export const sign = (judged: Judged): Finding | undefined => {
  const { baseline, before, day, series } = judged
  const own = Math.sign(day.value)
  if (measureOf(series.unit, [0]) === undefined || own === 0) return undefined
  if (!baseline.every(({ value }) => Math.sign(value) === -own)) return undefined
  const step = inOwnUnit(judged)
  if (step === undefined || !isOutside([day.value], step)) return undefined
  return {
    rule: "sign",
    day,
    before,
    score: step.score,
    low: step.low,
    high: step.high,
    baseline_days: step.n,
    why: `It turned its sign on ${day.date}: ${short(day.value)} after ${short(before.value)} on ${before.date}; it had one sign on all of the ${baseline.length} closed days before.`
  }
}

/** Whether the values only rise, and stand still on few days. */
const rises = (values: ReadonlyArray<number>): boolean => {
  const moves = values.slice(1).map((value, at) => value - (values[at] ?? value))
  return (
    moves.length >= constants.fewestRises &&
    moves.every((move) => move >= 0) &&
    moves.filter((move) => move > 0).length >= constants.risingShare * moves.length
  )
}

/**
 * `fell`: a series that only grows, by its manifest or because it rose on nearly all days of the baseline and fell on none, is below
 * the day before and below its second highest value, by more than its usual rise where only the baseline says so.
 */
export const fell = (judged: Judged): Finding | undefined => {
  const { baseline, before, day, series } = judged
  const values = valuesOf(baseline)
  const second = values.toSorted((a, b) => a - b).at(-2)
  if (measureOf(series.unit, values) === undefined || second === undefined) return undefined
  if (day.value >= Math.min(second, before.value) || isSmall(judged) || !(series.neverFalls || rises(values)))
    return undefined
  const step = inOwnUnit(judged)
  if (step === undefined || (!series.neverFalls && !isOutside([day.value], step))) return undefined
  return {
    rule: "fell",
    day,
    before,
    score: step.score,
    low: before.value,
    high: step.high,
    baseline_days: step.n,
    why: `It changed ${changeText(series.unit, before, day)}; ${
      series.neverFalls
        ? "its manifest says that it never falls"
        : `it did not fall on any of the ${baseline.length} closed days before`
    }.`
  }
}

const asFinding = (judged: Judged, rule: "unit" | "level", step: Step, why: string): Finding => {
  const { before, day } = judged
  return { rule, day, before, score: step.score, low: step.low, high: step.high, baseline_days: step.n, why }
}

/** `level` and `unit`: the value is outside of where its own days lead; `unit` where the factor is one of `unitFactors`. */
export const level = (judged: Judged): Finding | undefined => {
  const { baseline, before, day, series } = judged
  const values = valuesOf([...baseline, day])
  const measure = measureOf(series.unit, values)
  if (measure === undefined || isSmall(judged)) return undefined
  if (series.mayJump && day.value > before.value) return undefined
  const path = values.map(measure.of)
  const step = lastStep(path, measure.least)
  if (step === undefined || !isOutside(path, step)) return undefined
  const inUnit = { ...step, low: measure.value(step.low), high: measure.value(step.high) }
  const moved = `It changed ${changeText(series.unit, before, day)}; its own median daily change is ${usualText(series.unit, baseline)}`
  const rose = day.value > before.value
  const power = likelyUnit(rose ? day.value / before.value : before.value / day.value)
  return power === undefined
    ? asFinding(judged, "level", inUnit, `${moved} over ${step.n} changes.`)
    : asFinding(
        judged,
        "unit",
        inUnit,
        `${moved}. The factor is about ${power}${rose ? "" : " downwards"}, as where a unit has changed.`
      )
}

/**
 * `flat`: the very same value again and again, in a series that did not do that before. By Laplace's rule of succession the value
 * repeats with probability `p = (r + 1) / (n + 2)`, where `r` of the `n` moves before the standstill were none; `k` repeats have
 * probability `p^k`. Found on the one day on which that falls below `constants.repeats`: the moves are those of the window that ends
 * where the standstill begins, so `p` stays the same while `k` grows. A standstill that began before the window of the judged day is
 * no longer looked at.
 */
export const flat = ({ baseline, before, day, series }: Judged): Finding | undefined => {
  if (measureOf(series.unit, [1]) === undefined) return undefined
  const start = series.days.findLastIndex(({ value }) => value !== day.value) + 1
  const repeats = series.days.length - 1 - start
  if (repeats === 0 || repeats > baseline.length) return undefined
  const earlier = valuesOf(windowOf(series.days.slice(0, start + 1)))
  const n = earlier.length - 1
  if (n < constants.fewest) return undefined
  const stood = earlier.slice(1).filter((value, at) => value === earlier[at]).length
  const p = (stood + 1) / (n + 2)
  if (p ** repeats >= constants.repeats || p ** (repeats - 1) < constants.repeats) return undefined
  const since = series.days[start] ?? day
  return {
    rule: "flat",
    day,
    before,
    score: -repeats * Math.log10(p),
    low: Math.min(...earlier),
    high: Math.max(...earlier),
    baseline_days: n,
    why: `It has been ${short(day.value)} on each closed day since ${since.date}, ${repeats + 1} in a row; of the ${n} changes before, ${stood === 0 ? "none" : stood} ${stood === 1 ? "was" : "were"} 0.`
  }
}
