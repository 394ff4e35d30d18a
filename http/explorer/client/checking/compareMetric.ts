/** The page of a metric beside the signed series: every day, the newest value, the change and the chart. */
import { type Check, demand } from "../../../../core/proof/check.ts"
import type { HistoryResponse, HistorySeries } from "../../../../core/wire/data/history.ts"
import type { ValueRow } from "../../../../core/wire/data/valueRow.ts"
import { bothSizes, type LineChart } from "../../charts/lineChart.ts"
import { axisOf } from "../../charts/valueAxis.ts"
import { changeSentence } from "../../html/change.ts"
import { formatDay } from "../../html/format.ts"
import {
  type Compare,
  compareDrawing,
  compareText,
  compareValue,
  type Difference,
  flat,
  isAfter,
  type SignedValue,
  textOf
} from "./comparison.ts"
import { signedAnswer } from "./signed.ts"

const compareChart = (page: Document, series: HistorySeries | undefined): ReadonlyArray<Difference> => {
  const figure = page.querySelector<HTMLElement>("#figure")
  const text = page.querySelector("#chart-data")?.textContent
  if (figure === null || text == null) return [{ where: "Chart", displayed: "no chart", signed: "a chart" }]
  const { marks }: Pick<LineChart, "marks"> = JSON.parse(text)
  const { axis, days, now, title = "", unit } = figure.dataset
  const drawn = bothSizes({
    id: "chart",
    title,
    unit: series?.unit ?? (unit as LineChart["unit"]),
    points: series?.points ?? [],
    marks,
    now: Number(now),
    days: Number(days),
    axis: axisOf(axis)
  })
  return compareDrawing("Chart", figure.querySelector(".plot"), drawn)
}

const heroTime = (page: Document): string | undefined =>
  page.querySelector(".hero time")?.getAttribute("datetime") ?? undefined

interface Latest extends SignedValue {
  readonly as_of: string
}

/** The newest reading as it is signed; one that no day has yet is among the network's latest values. */
const latestOf = async (
  page: Document,
  { metric, source, symbol }: { readonly metric: string; readonly source: string; readonly symbol: string },
  series: HistorySeries | undefined
): Promise<{ readonly latest: Latest | undefined; readonly checks: ReadonlyArray<Check> }> => {
  const last = series?.points.at(-1)
  if (series === undefined || last === undefined) return { latest: undefined, checks: [] }
  const ofDays = { ...last, as_of: series.as_of }
  if (Date.parse(heroTime(page) ?? "") <= Date.parse(series.as_of)) return { latest: ofDays, checks: [] }
  const { body, checks } = await signedAnswer(`/v1/network/${encodeURIComponent(symbol)}`)
  const rows = body as ReadonlyArray<ValueRow>
  const row = rows.find((one) => one.symbol === symbol && one.metric === metric && one.source === source)
  return { latest: row ?? ofDays, checks }
}

const differences = (
  page: Document,
  series: HistorySeries | undefined,
  latest: Latest | undefined
): { readonly compared: number; readonly mismatches: ReadonlyArray<Difference> } => {
  const points = new Map((series?.points ?? []).map((point) => [point.date, point]))
  const mismatches: Array<Difference> = []
  let compared = 0
  const unit = series?.unit ?? "count"
  for (const row of page.querySelectorAll<HTMLElement>("#days tr[data-date]")) {
    const date = row.dataset["date"] ?? ""
    const point = points.get(date)
    const cell = row.querySelector("td.n")
    compared++
    if (point !== undefined) mismatches.push(...compareValue(formatDay(date), cell, point, unit))
    else if (cell?.querySelector("data") != null)
      mismatches.push({ where: formatDay(date), displayed: flat(cell.textContent), signed: "no reading" })
    mismatches.push(...compareText("Day", row.querySelector("th")?.textContent, formatDay(date)))
    points.delete(date)
  }
  for (const point of points.values())
    mismatches.push({ where: formatDay(point.date), displayed: "nothing", signed: textOf(point, unit) })
  // A value that is older than the window is not among these days.
  if (latest !== undefined) {
    compared++
    mismatches.push(
      ...compareValue("Latest value", page.querySelector(".hero .big"), latest, unit),
      ...compareText("Time of the latest value", heroTime(page), latest.as_of)
    )
  }
  if (series !== undefined)
    mismatches.push(
      ...compareText("Change", page.querySelector("#figure .readout")?.textContent, changeSentence(series))
    )
  return { compared, mismatches: [...mismatches, ...compareChart(page, series)] }
}

export const compareMetric: Compare = async (page) => {
  const {
    days = "30",
    metric = "",
    source = "",
    symbol = ""
  } = page.querySelector<HTMLElement>("#figure")?.dataset ?? {}
  const query = new URLSearchParams({ network: symbol, metric, source, days })
  const { body, checks } = await signedAnswer(`/v1/history?${query}`)
  const { data, generated_utc, window_days } = body as HistoryResponse
  demand(
    window_days === Number(days) && Object.keys(data ?? {}).every((one) => one === symbol),
    "the signed answer is about another network or another window than this page"
  )
  const series = data[symbol]?.[metric]
  demand(
    series === undefined || series.source === source,
    `the signed answer is from ${series?.source}, and this page names ${source}`
  )
  const { checks: ofLatest, latest } = await latestOf(page, { metric, source, symbol }, series)
  const { compared, mismatches } = differences(page, series, latest)
  return {
    checks: [...checks, ...ofLatest],
    mismatches,
    what: `${compared} values and the chart`,
    isNewer: isAfter(generated_utc, page)
  }
}
