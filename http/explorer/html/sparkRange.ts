/** A small line with its range below: it fills its height from its lowest to its highest value, whatever these are. */
import type { HistorySeries } from "../../../core/wire/data/history.ts"
import { type Html, html } from "./markup.ts"
import { roughRange } from "./roughly.ts"
import { sparkOf } from "./values.ts"

const rangeWords = ({ points, unit }: HistorySeries): string => {
  const values = points.map(({ value }) => value)
  return roughRange(Math.min(...values), Math.max(...values), unit)
}

export const sparkWithRange = (series: HistorySeries | undefined, today: string, days: number): Html =>
  html`${sparkOf(series, today, days)}${series !== undefined && series.points.length > 0 && html`<span class="sub">${rangeWords(series)}</span>`}`
