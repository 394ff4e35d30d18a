/** The axis of the values of a chart: what is written at it, and how much room that takes. Works in a browser too. */
import { has, type Unit, wordOf } from "../../../core/plugin/units.ts"
import { axisTexts } from "../html/format.ts"
import { rangeOf, ticks, wholeTicks } from "./scale.ts"

/** What an axis measures: values of a unit, or an index of such values. */
export type Measure = Unit | "index"

/** How the values are laid out, where that is chosen: from 0, or by their logarithm. Otherwise the axis fits them. */
export const axisChoices = ["zero", "log"] as const
export type AxisChoice = (typeof axisChoices)[number]

/** The choice that an address has. */
export const axisOf = (text: string | undefined): AxisChoice | undefined =>
  axisChoices.find((one) => one === text)

export interface ValueAxis {
  /** Where a value is: 0 at the lower end of the axis, 1 at the upper. */
  readonly share: (value: number) => number
  /** At most about `mostTicks`; each has a text of its own. None where there is no value. */
  readonly ticks: ReadonlyArray<{ readonly value: number; readonly text: string }>
  /** What is measured, in words; beside the title of the chart, which names the metric. */
  readonly title: string
  /** Pixels that the longest text takes. */
  readonly room: number
}

const mostTicks = 5

/** A digit of the face of the charts at 12 px, which is as wide as most letters and wider than the others. */
const digitWidth = 7.2

/** A longer word stands once in the title of the axis, not at each value, where it would have no room. */
const longestWord = 3

/** The titles of axes whose unit has a word that is too short to stand alone, or none. */
const titles: Readonly<Partial<Record<Measure, string>>> = {
  index: "index",
  count: "number",
  usd: "US dollars",
  usd_per_hour: "US dollars per hour",
  percent: "percent",
  pct: "change in percent",
  rank: "rank, 1 is first",
  hours: "hours",
  days: "days",
  km: "kilometres",
  flag: "yes or no",
  date: "date",
  hz: "hertz",
  mw: "megawatts",
  gib: "gibibytes"
}

/** Days that exist: the multiples of a round number are mostly none. */
const isDate = (value: number): boolean => {
  const iso = String(value).replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3")
  const time = Date.parse(`${iso}T00:00:00Z`)
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(iso)
}

const valuesAt = (from: number, to: number, measure: Measure): ReadonlyArray<number> => {
  if (measure === "index" || !has(measure, "whole")) return ticks(from, to, mostTicks)
  if (measure === "flag") return [0, 1].filter((value) => from <= value && value <= to)
  const whole = wholeTicks(from, to, mostTicks)
  if (measure === "date") return whole.filter(isDate)
  return measure === "rank" ? whole.filter((value) => value >= 1) : whole
}

/** Neither 0 nor a logarithm means anything of a day, of a place in a ranking, or of yes and no. */
const unchosen: ReadonlySet<Measure> = new Set(["date", "rank", "flag"])

const isPositive = (values: ReadonlyArray<number>): boolean =>
  values.length > 0 && values.every((value) => value > 0)

/** The choices that change what a chart of these values looks like; a logarithm there is only of what is above 0. */
export const choicesFor = (values: ReadonlyArray<number>, measure: Measure): ReadonlyArray<AxisChoice> => {
  if (values.length === 0 || unchosen.has(measure)) return []
  const [from, to] = rangeOf(values)
  return axisChoices.filter((one) => (one === "log" ? isPositive(values) : from > 0 || to < 0))
}

/** A choice that does not fit the values counts as none. */
const rangeFor = (
  values: ReadonlyArray<number>,
  choice: AxisChoice | undefined
): readonly [from: number, to: number] => {
  if (choice === "log") {
    const low = Math.log10(values.reduce((least, value) => Math.min(least, value)))
    const high = Math.log10(values.reduce((most, value) => Math.max(most, value)))
    const room = (high - low) * 0.12 || 0.02
    return [10 ** (low - room), 10 ** (high + room)]
  }
  const [from, to] = rangeOf(values)
  return choice === "zero" ? [Math.min(0, from), Math.max(0, to)] : [from, to]
}

/** Powers of ten, with their double and their fivefold where there are few; in less than that, round values. */
const logTicks = (from: number, to: number, measure: Measure): ReadonlyArray<number> => {
  const [first, last] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))]
  const each = Math.max(1, Math.ceil((last - first) / (mostTicks + 1)))
  const powers = Array.from({ length: last - first + 1 }, (_, n) => first + n)
  const at = (factors: ReadonlyArray<number>) =>
    powers
      .filter((power) => power % each === 0)
      .flatMap((power) => factors.map((factor) => Number((factor * 10 ** power).toPrecision(3))))
      .filter((value) => value >= from && value <= to)
  const chosen = [at([1]), at([1, 2, 5])].find(({ length }) => length >= 3)
  return chosen === undefined
    ? valuesAt(from, to, measure)
    : chosen.filter((value) => measure === "index" || !has(measure, "whole") || Number.isInteger(value))
}

const textsOf = (values: ReadonlyArray<number>, measure: Measure): ReadonlyArray<string> =>
  measure === "index" ||
  wordOf(measure).length <= longestWord ||
  measure === "bytes" ||
  measure === "usd_per_hour"
    ? axisTexts(values, measure === "index" ? "count" : measure)
    : axisTexts(values, "count")

const titleOf = (measure: Measure): string =>
  titles[measure] ?? (measure === "index" ? measure : wordOf(measure))

/** The axis of some values. A choice that does not fit them (`choicesFor`) counts as none. */
export const valueAxis = (
  values: ReadonlyArray<number>,
  measure: Measure,
  requested?: AxisChoice | undefined
): ValueAxis => {
  const choice = choicesFor(values, measure).find((one) => one === requested)
  const [from, to] = rangeFor(values, choice)
  const isLog = choice === "log"
  const at = values.length === 0 ? [] : isLog ? logTicks(from, to, measure) : valuesAt(from, to, measure)
  const texts = textsOf(at, measure)
  return {
    share: isLog
      ? (value) => Math.log(value / from) / Math.log(to / from)
      : (value) => (value - from) / (to - from),
    ticks: at.map((value, n) => ({ value, text: texts[n] ?? "" })),
    title: isLog ? `${titleOf(measure)}, logarithmic`.replace(/^, /, "") : titleOf(measure),
    room: Math.ceil(Math.max(0, ...texts.map(({ length }) => length)) * digitWidth)
  }
}
