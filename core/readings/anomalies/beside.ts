/** Rules on a series beside others: its other sources, and the networks or places of its category. */
import { median } from "simple-statistics"
import { has } from "../../plugin/units.ts"
import type { DatedValue } from "../change.ts"
import { constants } from "./constants.ts"
import type { Beside, Finding } from "./finding.ts"
import { type Measure, measureOf } from "./measure.ts"
import { isSmall, type Judged } from "./own.ts"
import { isOutside, lastStep, type Step } from "./path.ts"
import { changeWords, percentOf, short } from "./words.ts"

/** Values of a series by their day. */
export type ByDate = ReadonlyMap<string, number>

/** The series of one metric in a category, one of each symbol, the judged one among them. */
export class Peers {
  readonly areEnough: boolean
  readonly #all: ReadonlyArray<ByDate>
  readonly #moves = new Map<string, Beside | undefined>()

  constructor(all: ReadonlyArray<ByDate>) {
    this.#all = all
    this.areEnough = all.length >= constants.fewestPeers
  }

  /** The median of their moves between two days; undefined where fewer than `constants.fewestPeers` have both. */
  move(measure: Measure, { date: from }: DatedValue, { date: to }: DatedValue): Beside | undefined {
    const key = `${measure.kind} ${from} ${to}`
    if (this.#moves.has(key)) return this.#moves.get(key)
    const moves = this.#all
      .map((one) => measure.of(one.get(to) ?? Number.NaN) - measure.of(one.get(from) ?? Number.NaN))
      .filter(Number.isFinite)
    const beside =
      moves.length < constants.fewestPeers ? undefined : { n: moves.length, median: median(moves) }
    this.#moves.set(key, beside)
    return beside
  }
}

interface Compared {
  readonly step: Step
  readonly beside: Beside
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
const besideSources = (judged: Judged, sources: ReadonlyArray<ByDate>): Compared | undefined => {
  const measure = measureFor(judged)
  if (measure === undefined || sources.length === 0) return undefined
  const days = [...judged.baseline, judged.day]
  const others = days.map(({ date }): Beside | undefined => {
    const places = sources.map((one) => measure.of(one.get(date) ?? Number.NaN)).filter(Number.isFinite)
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
    beside: last,
    measure,
    outside: isOutside(path, step) && ownMove > Math.abs(last.median - before.median)
  }
}

/** `source`: it left its usual distance from its other sources, and moved more than they did. */
export const source = (judged: Judged, sources: ReadonlyArray<ByDate>): Finding | undefined => {
  if (isSmall(judged)) return undefined
  const compared = besideSources(judged, sources)
  if (compared === undefined || !compared.outside) return undefined
  const { before, day, series } = judged
  const { beside, measure, step } = compared
  const other = measure.value(beside.median)
  return {
    rule: "source",
    day,
    before,
    score: step.score,
    low: measure.value(beside.median + step.low),
    high: measure.value(beside.median + step.high),
    baseline_days: step.n,
    beside: { n: beside.n, median: other },
    why: `It changed ${changeWords(series.unit, before, day)}, and left its usual distance from ${
      beside.n === 1 ? "the other source" : `the median of ${beside.n} other sources`
    } of the same figure, ${short(other)} on that day.`
  }
}

/** The path of a series beside what its category does: its places less the sum of the median moves. */
const besidePeers = (judged: Judged, peers: Peers): Compared | undefined => {
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
  return { step: back, beside: last, measure, outside: isOutside(path, step) }
}

/** Whether its peers moved alike, so that what happened is not its own; undefined where too few are known. */
export const movedWithPeers = (judged: Judged, peers: Peers): boolean | undefined => {
  const compared = besidePeers(judged, peers)
  return compared === undefined ? undefined : !compared.outside
}

/** `peer`: it left its usual course beside the networks or places of its category that have the same metric. */
export const peer = (judged: Judged, peers: Peers): Finding | undefined => {
  if (isSmall(judged) || (judged.series.mayJump && judged.day.value > judged.before.value)) return undefined
  const compared = besidePeers(judged, peers)
  if (compared === undefined || !compared.outside) return undefined
  const { before, day, series } = judged
  const { beside, measure, step } = compared
  const medianText = measure.kind === "proportion" ? percentOf(beside.median) : short(beside.median)
  return {
    rule: "peer",
    day,
    before,
    score: step.score,
    low: measure.value(step.low),
    high: measure.value(step.high),
    baseline_days: step.n,
    beside,
    why: `It changed ${changeWords(series.unit, before, day)}; the median change of the ${beside.n} in its category was ${medianText}.`
  }
}
