/** What the networks of a category add up to by one metric on each closed day, and the share of each. */
import { Effect } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import type { CategoryFigure } from "../../../core/readings/read/category.ts"
import { recentDays } from "../../../core/readings/read/RecentDays.ts"
import { type WholeDay, wholeDays } from "../../../core/readings/read/wholeDays.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { letters } from "../charts/letters.ts"
import { type Band, bothStacks } from "../charts/stackChart.ts"
import { absent, formatDay, formatNumber, metricTitle, shareText } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"

/** With more networks, the smaller ones share the last band. */
const bandsOf = (symbols: ReadonlyArray<string>, days: ReadonlyArray<WholeDay>): ReadonlyArray<Band> => {
  const single = symbols.length <= letters.length ? symbols.length : letters.length - 1
  const own = symbols.slice(0, single).flatMap((symbol, n): ReadonlyArray<Band> => {
    const letter = letters[n]
    const values = days.map((day) => day.values[n] ?? 0)
    return letter === undefined ? [] : [{ letter, label: bySymbol.get(symbol)?.name ?? symbol, values }]
  })
  if (single === symbols.length) return own
  const last = letters[letters.length - 1] ?? letters[0]
  const values = days.map((day) => day.values.slice(single).reduce((sum, value) => sum + value, 0))
  return [...own, { letter: last, label: `${symbols.length - single} others`, values }]
}

const sumOf = ({ values }: WholeDay): number => values.reduce((sum, value) => sum + value, 0)

/** In how many days there is a column, and why not in the others. */
const wholeNote = (whole: number, partial: number): string =>
  partial === 0
    ? `${formatNumber(whole)} closed days, each with a value of every network.`
    : `${formatNumber(whole)} closed days with a value of every network. On ${formatNumber(partial)} more some have none: these days have no column, because the sum would say less than its name.`

/** Undefined where there is no sum, or are not two days of one. */
export const categoryShares = Effect.fnUntraced(function* (figure: CategoryFigure, now: number) {
  const { counted, metric, total, unit } = figure
  if (total === null || total <= 0 || counted.some(({ row }) => row.value < 0)) return undefined
  const { days, partial } = yield* orProblem(wholeDays(counted.map(({ series }) => series)))
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || days.length < 2) return undefined
  if (days.some(({ values }) => values.some((value) => value < 0))) return undefined
  const bands = bandsOf(
    counted.map(({ row }) => row.symbol),
    days
  )
  const shareOn = (day: WholeDay, value: number | undefined): string => {
    const sum = sumOf(day)
    return `${value === undefined || sum === 0 ? absent : shareText(value / sum)} on ${formatDay(day.date)}`
  }
  const chart = bothStacks({
    id: "shares-by-day",
    title: `${metricTitle(metric)}, the share of each network by day`,
    unit,
    dates: days.map(({ date }) => date),
    bands,
    now,
    days: recentDays
  })
  return html`<figure class="figure">${raw(chart)}
<figcaption><ul class="legend">${bands.map(
    ({ label, letter, values }): Html =>
      html`<li data-share="${label}"><b>${letter.toUpperCase()}</b> ${label}: ${shareOn(first, values[0])}, ${shareOn(last, values.at(-1))}</li>`
  )}</ul><p class="quiet">${wholeNote(days.length, partial)}</p></figcaption></figure>`
})
