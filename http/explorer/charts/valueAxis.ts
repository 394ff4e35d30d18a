/** The axis of the values of a chart: what is written at it, and how much room that takes. Works in a browser too. */
import { has, type Unit, wordOf } from "../../../core/plugin/units.ts"
import { axisTexts } from "../html/format.ts"
import { rangeOf, ticks, wholeTicks } from "./scale.ts"

/** What an axis measures: values of a unit, or an index of such values. */
export type Measure = Unit | "index"

export interface ValueAxis {
  readonly from: number
  readonly to: number
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

const textsOf = (values: ReadonlyArray<number>, measure: Measure): ReadonlyArray<string> =>
  measure === "index" ||
  wordOf(measure).length <= longestWord ||
  measure === "bytes" ||
  measure === "usd_per_hour"
    ? axisTexts(values, measure === "index" ? "count" : measure)
    : axisTexts(values, "count")

export const valueAxis = (values: ReadonlyArray<number>, measure: Measure): ValueAxis => {
  const [from, to] = rangeOf(values)
  const at = values.length === 0 ? [] : valuesAt(from, to, measure)
  const texts = textsOf(at, measure)
  return {
    from,
    to,
    ticks: at.map((value, n) => ({ value, text: texts[n] ?? "" })),
    title: titles[measure] ?? (measure === "index" ? measure : wordOf(measure)),
    room: Math.ceil(Math.max(0, ...texts.map(({ length }) => length)) * digitWidth)
  }
}
