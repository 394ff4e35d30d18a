/** Reads the values off a page of a metric, as a reader sees them, and compares them with a signed answer. */
import type { HistoryPoint, HistorySeries } from "../../../../core/wire/data/history.ts"
import { bothSizes, type LineChart } from "../../charts/lineChart.ts"
import { formatChange, formatDay, formatValue } from "../../html/format.ts"

export interface Difference {
  readonly where: string
  readonly shown: string
  readonly signed: string
}

/** A value's text without the spaces that only lay it out. */
const flat = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()

const textOf = ({ value }: Pick<HistoryPoint, "value">, unit: HistorySeries["unit"]): string => {
  const shown = formatValue(value, unit)
  return flat(`${shown.before}${shown.number} ${shown.unit}`)
}

const exactOf = ({ value, value_text }: HistoryPoint): string => value_text ?? String(value)

/** Both what is seen and what a program reads from the markup. */
const compareValue = (
  where: string,
  place: Element | null,
  point: HistoryPoint,
  unit: HistorySeries["unit"]
): ReadonlyArray<Difference> => {
  const data = place?.querySelector("data") ?? null
  const signed = exactOf(point)
  const seen = flat(place?.textContent)
  const exact = data?.getAttribute("value") ?? "no value"
  if (seen !== textOf(point, unit)) return [{ where, shown: seen, signed: textOf(point, unit) }]
  return exact === signed ? [] : [{ where: `${where} (exactly)`, shown: exact, signed }]
}

/** The same markup as a browser writes it back. */
const normal = (markup: string): string => {
  const template = document.createElement("template")
  template.innerHTML = markup
  return template.innerHTML
}

const compareChart = (page: Document, series: HistorySeries | undefined): ReadonlyArray<Difference> => {
  const figure = page.querySelector<HTMLElement>("#figure")
  const plot = figure?.querySelector(".plot")
  const text = page.querySelector("#chart-data")?.textContent
  if (figure == null || plot == null || text == null)
    return [{ where: "Chart", shown: "no chart", signed: "a chart" }]
  const { marks }: Pick<LineChart, "marks"> = JSON.parse(text)
  const { days, now, title = "", unit } = figure.dataset
  const drawn = bothSizes({
    id: "chart",
    title,
    unit: series?.unit ?? (unit as LineChart["unit"]),
    points: series?.points ?? [],
    marks,
    now: Number(now),
    days: Number(days)
  })
  return normal(drawn) === plot.innerHTML
    ? []
    : [{ where: "Chart", shown: "another line", signed: "the line through the signed values" }]
}

/** What of the page differs from the signed series: every day, the newest value, the change and the chart. */
export const differences = (
  page: Document,
  series: HistorySeries | undefined
): { readonly compared: number; readonly found: ReadonlyArray<Difference> } => {
  const points = new Map((series?.points ?? []).map((point) => [point.date, point]))
  const found: Array<Difference> = []
  let compared = 0
  const unit = series?.unit ?? "count"
  for (const row of page.querySelectorAll<HTMLElement>("#days tr[data-date]")) {
    const date = row.dataset["date"] ?? ""
    const point = points.get(date)
    const cell = row.querySelector("td.n")
    compared++
    if (point !== undefined) found.push(...compareValue(formatDay(date), cell, point, unit))
    else if (cell?.querySelector("data") != null)
      found.push({ where: formatDay(date), shown: flat(cell.textContent), signed: "no reading" })
    if (row.querySelector("th")?.textContent !== formatDay(date))
      found.push({ where: "Day", shown: flat(row.querySelector("th")?.textContent), signed: formatDay(date) })
    points.delete(date)
  }
  for (const point of points.values())
    found.push({ where: formatDay(point.date), shown: "nothing", signed: textOf(point, unit) })
  const last = series?.points.at(-1)
  const since = page.querySelector(".hero time")?.getAttribute("datetime")
  // A value that is older than the window is not among these days.
  if (series !== undefined && last !== undefined) {
    compared++
    found.push(...compareValue("Latest value", page.querySelector(".hero .big"), last, unit))
    if (since !== series.as_of)
      found.push({ where: "Time of the latest value", shown: since ?? "none", signed: series.as_of })
  }
  const change = series === undefined ? undefined : formatChange(series.change_pct)
  const said = flat(page.querySelector("#figure .readout")?.textContent)
  if (change !== undefined && !said.startsWith(`${change} in `))
    found.push({ where: "Change", shown: said, signed: change })
  return { compared, found: [...found, ...compareChart(page, series)] }
}
