/** How a change looks: with its days, and of percentages in points. It runs in a browser too. */
import { has, type Unit } from "../../../core/plugin/units.ts"
import type { ChangeOf, DatedValue } from "../../../core/readings/change.ts"
import { twoDecimals } from "../../../core/readings/percent.ts"
import { absent, formatChange, formatDay, formatNumber, formatShortDay, valueText } from "./format.ts"
import { type Html, html } from "./markup.ts"

type Change = ChangeOf<DatedValue>

/** What a change is shown of: a series of `/v1/history`, or a part of one. */
export interface Changed {
  readonly unit: Unit
  readonly change?: Change | undefined
  readonly note?: string | undefined
}

const points = (absolute: number): string => {
  const rounded = twoDecimals(absolute)
  const sign = rounded > 0 ? "+" : rounded < 0 ? "" : "±"
  return `${sign}${formatNumber(rounded)} ${Math.abs(rounded) === 1 ? "point" : "points"}`
}

/** `+1.9 %`, or `−0.3 points` of a percentage; `n/a` where neither says anything. */
export const changeText = ({ change, unit }: Changed): string => {
  if (change === undefined) return absent
  if (has(unit, "by_points") && change.absolute !== null) return points(change.absolute)
  return formatChange(change.relative)
}

/** `7 Aug` of a day; with its year where the other day has another. */
const dayBeside = (date: string, other: string): string =>
  date.slice(0, 4) === other.slice(0, 4) ? formatShortDay(date) : formatDay(date)

/** `7 Aug to 4 Sep`. */
export const spanText = ({ from, to }: Pick<Change, "from" | "to">): string =>
  `${dayBeside(from.date, to.date)} to ${dayBeside(to.date, from.date)}`

/** `+1.9 % from 7 Aug to 4 Sep`, for places with no room for the values. */
export const changeWords = (series: Changed): string | undefined => {
  const text = changeText(series)
  return series.change === undefined || text === absent
    ? undefined
    : `${text} from ${spanText(series.change)}`
}

/** `+1.9 % from 7 Aug (887) to 4 Sep (904), closed days.`, or both values where the change itself says nothing. */
export const changeSentence = (series: Changed): string => {
  const { change, note, unit } = series
  if (change === undefined) return note ?? absent
  const { from, to } = change
  const text = changeText(series)
  const [first, last] = [dayBeside(from.date, to.date), dayBeside(to.date, from.date)]
  const [before, after] = [valueText(from.value, unit), valueText(to.value, unit)]
  const sentence =
    text === absent
      ? `${before} on ${first}, ${after} on ${last}, closed days.`
      : `${text} from ${first} (${before}) to ${last} (${after}), closed days.`
  return text === absent || change.relative === null || change.why === undefined
    ? sentence
    : `${sentence} ${change.why}`
}

/** The days that most of some changes span, for the head of their column; undefined where there is no change. */
export const commonSpan = (all: ReadonlyArray<Changed | undefined>): string | undefined => {
  const spans = Map.groupBy(
    all.flatMap((one) => (one?.change === undefined ? [] : [spanText(one.change)])),
    (span) => span
  )
  return [...spans].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

/** The change as a cell. Its days stand below it where they are not those of the column, and its base where it is small. */
export const changeCell = (series: Changed | undefined, span: string | undefined): Html => {
  const text = series === undefined ? absent : changeText(series)
  const { change, note, unit = "count" } = series ?? {}
  if (text === absent)
    return html`<span class="change quiet"${(change?.why ?? note) !== undefined && html` title="${change?.why ?? note ?? ""}"`}>${text}</span>`
  if (change === undefined) return html`<span class="change">${text}</span>`
  const own = spanText(change)
  return html`<span class="change">${text}</span>${own !== span && html`<span class="sub">${own}</span>`}${change.relative !== null && change.why !== undefined && html`<span class="sub" title="${change.why}">from ${valueText(change.from.value, unit)}</span>`}`
}

/** What stands before a cell's value where a table has become cards. */
export const changeLabel = (series: Changed | undefined): string =>
  series?.change === undefined ? "Change" : spanText(series.change)

/** The head of a column of changes. */
export const changeHead = (span: string | undefined, title = "Change"): Html =>
  html`${title}${span !== undefined && html`<span class="sub">${span}</span>`}`
