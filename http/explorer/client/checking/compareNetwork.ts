/** The page of a network beside its signed values and days: each metric with its time, its source and its lines. */
import { demand } from "../../../../core/proof/check.ts"
import type { HistoryResponse, HistorySeries } from "../../../../core/wire/data/history.ts"
import type { ValueRow } from "../../../../core/wire/data/valueRow.ts"
import { bothSizes } from "../../charts/lineChart.ts"
import { changeLabel, changeText } from "../../html/change.ts"
import { absent, metricTitle } from "../../html/format.ts"
import { sparkOf } from "../../html/values.ts"
import { turn } from "../parts/turn.ts"
import {
  type Compare,
  compareDrawing,
  compareText,
  compareValue,
  type Difference,
  isAfter,
  renderTimeOf
} from "./comparison.ts"
import { signedAnswer } from "./signed.ts"

const days = 30
/** Rows that are compared before the reader has a turn. */
const rowsAtOnce = 5

type SeriesByMetric = Readonly<Record<string, HistorySeries>>

const compareRow = (
  row: HTMLElement,
  signed: ValueRow | undefined,
  series: HistorySeries | undefined,
  today: string
): ReadonlyArray<Difference> => {
  const where = metricTitle(row.dataset["metric"] ?? "")
  if (signed === undefined) return [{ where, displayed: "a value", signed: "nothing" }]
  return [
    ...compareText("Name", row.querySelector("th a")?.textContent, where),
    ...compareValue(where, row.querySelector(".value"), signed, signed.unit),
    ...compareText(`${where}, time`, row.querySelector("time")?.getAttribute("datetime"), signed.as_of),
    ...compareText(`${where}, source`, row.querySelector("a[rel]")?.getAttribute("href"), signed.verify_url),
    ...compareText(
      `${where}, change`,
      row.querySelector(".change")?.textContent,
      series === undefined ? absent : changeText(series)
    ),
    ...compareText(
      `${where}, days of the change`,
      row.querySelector("[data-label]")?.getAttribute("data-label"),
      changeLabel(series)
    ),
    ...compareDrawing(
      `${where}, 30 days`,
      row.querySelector(".graph"),
      String(sparkOf(series, today, days) || "")
    )
  ]
}

const compareHero = (
  page: Document,
  rows: ReadonlyMap<string, ValueRow>,
  series: SeriesByMetric,
  now: number
): ReadonlyArray<Difference> => {
  const figure = page.querySelector<HTMLElement>(".hero .figure")
  if (figure === null) return []
  const { metric = "", source = "", title = "" } = figure.dataset
  const signed = rows.get(`${metric} ${source}`)
  if (signed === undefined) return [{ where: "Headline", displayed: "a value", signed: "nothing" }]
  const drawn = bothSizes({
    id: "headline",
    title,
    unit: signed.unit,
    points: series[metric]?.points ?? [],
    now,
    days
  })
  return [
    ...compareValue("Headline", page.querySelector(".hero .big"), signed, signed.unit),
    ...compareDrawing("Chart", figure.querySelector(".plot"), drawn)
  ]
}

export const compareNetwork: Compare = async (page) => {
  const symbol = page.querySelector<HTMLElement>("[data-network]")?.dataset["network"] ?? ""
  const name = encodeURIComponent(symbol)
  const latest = await signedAnswer(`/v1/network/${name}`)
  const history = await signedAnswer(`/v1/history?network=${name}&days=${days}`)
  const { data, generated_utc } = history.body as HistoryResponse
  const values = latest.body as ReadonlyArray<ValueRow>
  demand(
    values.every((row) => row.symbol === symbol) && Object.keys(data ?? {}).every((one) => one === symbol),
    "the signed answer is about another network than this page"
  )
  const rows = new Map(values.map((row) => [`${row.metric} ${row.source}`, row]))
  const series = data[symbol] ?? {}
  const renderedAt = renderTimeOf(page)
  const rowElements = [...page.querySelectorAll<HTMLElement>("tr[data-metric]")]
  const names = new Set(rowElements.map(({ dataset }) => dataset["metric"]))
  const mismatches: Array<Difference> = []
  for (const [n, row] of rowElements.entries()) {
    if (n % rowsAtOnce === 0) await turn()
    const { metric = "", source = "" } = row.dataset
    mismatches.push(
      ...compareRow(row, rows.get(`${metric} ${source}`), series[metric], renderedAt.slice(0, 10))
    )
  }
  await turn()
  const left = [...new Set(values.map(({ metric }) => metric))].filter((metric) => !names.has(metric))
  return {
    checks: [...latest.checks, ...history.checks],
    mismatches: [
      ...compareHero(page, rows, series, Date.parse(renderedAt)),
      ...mismatches,
      ...left.map((metric) => ({ where: metricTitle(metric), displayed: "nothing", signed: "a value" }))
    ],
    what: `${rowElements.length} values with their times and sources, and their charts,`,
    isNewer: isAfter(generated_utc, page)
  }
}
