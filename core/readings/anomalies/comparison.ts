/** Rules on a series beside others: its other sources, and the networks or places of its category. */
import { median } from "simple-statistics"
import { has } from "../../plugin/units.ts"
import type { DatedValue } from "../change.ts"
import { constants } from "./constants.ts"
import type { Comparison, Finding } from "./finding.ts"
import { type Measure, measureOf } from "./measure.ts"
import { isSmall, type Judged } from "./own.ts"
import { isOutside, lastStep, type Step } from "./path.ts"
import { changeText, percentOf, short } from "./sentences.ts"

/** Values of a series by their day. */
export type ByDate = ReadonlyMap<string, number>

/** The place of a series on a day; undefined without a value, and where the measure has none, such as the logarithm of 0. */
const placeOn = (values: ByDate, date: string, measure: Measure): number | undefined => {
  const value = values.get(date)
  const place = value === undefined ? undefined : measure.of(value)
  return Number.isFinite(place) ? place : undefined
}

/** The series of one metric in a category, one of each symbol, the judged one among them. */
export class Peers {
  readonly areEnough: boolean
  readonly #all: ReadonlyArray<ByDate>
  readonly #moves = new Map<string, Comparison | undefined>()

  constructor(all: ReadonlyArray<ByDate>) {
    this.#all = all
    this.areEnough = all.length >= constants.fewestPeers
  }

  /** The median of their moves between two days; undefined where fewer than `constants.fewestPeers` have both. */
  move(measure: Measure, { date: from }: DatedValue, { date: to }: DatedValue): Comparison | undefined {
    const key = `${measure.kind} ${from} ${to}`
    if (this.#moves.has(key)) return this.#moves.get(key)
    const moves = this.#all.flatMap((values) => {
      const [start, end] = [placeOn(values, from, measure), placeOn(values, to, measure)]
      return start === undefined || end === undefined ? [] : [end - start]
    })
    const comparison =
      moves.length < constants.fewestPeers ? undefined : { n: moves.length, median: median(moves) }
    this.#moves.set(key, comparison)
    return comparison
  }
}

interface Compared {
  readonly step: Step
  readonly comparison: Comparison
  readonly measure: Measure
  readonly outside: boolean
}

const measureFor = ({ baseline, day, series }: Judged): Measure | undefined =>
  measureOf(
    series.unit,
    [...baseline, day].map(({ value }) => value)
  )

/** What follows the last day without an answer of some days, oldest first. */
const sinceGap = <A>(answers: ReadonlyArray<A | undefined>): ReadonlyArray<A> =>
  answers.slice(answers.lastIndexOf(undefined) + 1).flatMap((one) => (one === undefined ? [] : [one]))

/** The distance from the median of the other sources of the same figure. */
const comparedWithSources = (judged: Judged, sources: ReadonlyArray<ByDate>): Compared | undefined => {
  const measure = measureFor(judged)
  if (measure === undefined || sources.length === 0) return undefined
  const days = [...judged.baseline, judged.day]
  const others = days.map(({ date }): Comparison | undefined => {
    const places = sources.flatMap((values) => placeOn(values, date, measure) ?? [])
    return places.length === 0 ? undefined : { n: places.length, median: median(places) }
  })
  const since = sinceGap(others)
  const own = days.slice(days.length - since.length).map(({ value }) => measure.of(value))
  const path = own.map((place, at) => place - (since[at]?.median ?? place))
  const step = lastStep(path, measure.least)
  const [before, last] = [since.at(-2), since.at(-1)]
  if (step === undefined || before === undefined || last === undefined) return undefined
  // Whichever moved less stayed where both were.
  const ownMove = Math.abs((own.at(-1) ?? 0) - (own.at(-2) ?? 0))
  return {
    step,
    comparison: last,
    measure,
    outside: isOutside(path, step) && ownMove > Math.abs(last.median - before.median)
  }
}

/** `source`: it left its usual distance from its other sources, and moved more than they did. */
export const source = (judged: Judged, sources: ReadonlyArray<ByDate>): Finding | undefined => {
  if (isSmall(judged)) return undefined
  const compared = comparedWithSources(judged, sources)
  if (compared === undefined || !compared.outside) return undefined
  const { before, day, series } = judged
  const { comparison, measure, step } = compared
  const other = measure.value(comparison.median)
  return {
    rule: "source",
    day,
    before,
    score: step.score,
    low: measure.value(comparison.median + step.low),
    high: measure.value(comparison.median + step.high),
    baseline_days: step.n,
    beside: { n: comparison.n, median: other },
    why: `It changed ${changeText(series.unit, before, day)}, and left its usual distance from ${
      comparison.n === 1 ? "the other source" : `the median of ${comparison.n} other sources`
    } of the same figure, ${short(other)} on that day.`
  }
}

/** The path of a series beside what its category does: its places less the sum of the median moves. */
const comparedWithPeers = (judged: Judged, peers: Peers): Compared | undefined => {
  const measure = measureFor(judged)
  // Where one network moves by millions and the next by thousandths, a median of their moves says nothing of either.
  const comparable = measure?.kind === "proportion" || has(judged.series.unit, "by_points")
  if (measure === undefined || !comparable || !peers.areEnough) return undefined
  const days = [...judged.baseline, judged.day]
  const moves = days.slice(1).map((to, at) => peers.move(measure, days[at] ?? to, to))
  const since = sinceGap(moves)
  const own = days.slice(days.length - since.length - 1).map(({ value }) => measure.of(value))
  let sum = 0
  const path = own.map((place, at) => {
    if (at > 0) sum += since[at - 1]?.median ?? 0
    return place - sum
  })
  const step = lastStep(path, measure.least)
  const last = since.at(-1)
  if (step === undefined || last === undefined) return undefined
  const back = { ...step, low: step.low + sum, high: step.high + sum }
  return { step: back, comparison: last, measure, outside: isOutside(path, step) }
}

/** Whether its peers moved alike, so that what happened is not its own; undefined where too few are known. */
export const movedWithPeers = (judged: Judged, peers: Peers): boolean | undefined => {
  const compared = comparedWithPeers(judged, peers)
  return compared === undefined ? undefined : !compared.outside
}

/** `peer`: it left its usual course beside the networks or places of its category that have the same metric. */
export const peer = (judged: Judged, peers: Peers): Finding | undefined => {
  if (isSmall(judged) || (judged.series.mayJump && judged.day.value > judged.before.value)) return undefined
  const compared = comparedWithPeers(judged, peers)
  if (compared === undefined || !compared.outside) return undefined
  const { before, day, series } = judged
  const { comparison, measure, step } = compared
  const medianText = measure.kind === "proportion" ? percentOf(comparison.median) : short(comparison.median)
  return {
    rule: "peer",
    day,
    before,
    score: step.score,
    low: measure.value(step.low),
    high: measure.value(step.high),
    baseline_days: step.n,
    beside: comparison,
    why: `It changed ${changeText(series.unit, before, day)}; the median change of the ${comparison.n} in its category was ${medianText}.`
  }
}
