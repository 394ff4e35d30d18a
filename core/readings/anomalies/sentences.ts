/** The sentences of findings: numbers and dates, and no guess at a cause. */
import { median } from "simple-statistics"
import { changeOver, type DatedValue } from "../change.ts"
import { twoDecimals } from "../percent.ts"

/** Six digits: enough to see which value is meant; the exact one is next to the sentence. */
export const short = (value: number): string => String(Number(value.toPrecision(6)))

const signed = (number: number): string => `${number < 0 ? "-" : "+"}${Math.abs(number)}`

/** A step of a logarithm in percent. */
export const percentOf = (step: number): string => `${signed(twoDecimals(100 * Math.expm1(step)))} %`

/** A change from one day to another in words: percent where it has sense, else both values. */
export const changeText = (unit: string, before: DatedValue, day: DatedValue): string => {
  const relative = changeOver(unit, [before, day])?.relative
  const values = `from ${short(before.value)} on ${before.date} to ${short(day.value)} on ${day.date}`
  return relative === null || relative === undefined
    ? values
    : `by ${signed(twoDecimals(relative))} %, ${values}`
}

/** How far a series usually goes in a day, in words. */
export const usualText = (unit: string, days: ReadonlyArray<DatedValue>): string => {
  const changes = days.slice(1).map((day, at) => changeOver(unit, [days[at] ?? day, day]))
  const relative = changes.map((change) => change?.relative)
  if (relative.every((one) => typeof one === "number"))
    return `${twoDecimals(median(relative.map(Math.abs)))} %`
  return short(median(changes.map((change) => Math.abs(change?.absolute ?? 0))))
}
