/** The page that compares: names while they are typed, values off the charts, and longer windows with a key. */
import { bothCompared, type ComparedLine, chartsOf } from "../charts/compareChart.ts"
import { axisOf } from "../charts/valueAxis.ts"
import { storeComparison } from "./parts/comparison.ts"
import { addCopy } from "./parts/copyButton.ts"
import { enhanceMore, loadHistory, type SeriesName, spanOf } from "./parts/history.ts"
import { readMany } from "./parts/readCompareChart.ts"
import "./page.ts"
import { setMarkup } from "./parts/trusted.ts"

type Series = ComparedLine & SeriesName

for (const [place, what] of [
  ["#cite", "the citation"],
  ["#embed", "the frame"],
  ["#embed-picture", "the picture"]
] as const) {
  const block = document.querySelector<HTMLElement>(place)
  if (block !== null) addCopy(block, what)
}

const figure = document.querySelector<HTMLElement>("#compare")
const plots = figure?.querySelector<HTMLElement>(".plots")
const readout = figure?.querySelector<HTMLElement>(".readout")

if (figure !== null && plots instanceof HTMLElement && readout instanceof HTMLElement) {
  storeComparison()
  const series: ReadonlyArray<Series> = JSON.parse(
    document.querySelector("#compare-data")?.textContent ?? "[]"
  )
  const now = Number(figure.dataset["now"])
  const axis = axisOf(figure.dataset["axis"])
  const by = figure.dataset["by"] === "value" ? "value" : "index"

  const read = (lines: ReadonlyArray<ComparedLine>, days: number) => {
    const charts = chartsOf(lines, { by, now, days, axis })
    ;[...plots.querySelectorAll<HTMLElement>(".plot")].forEach((plot, n) => {
      const chart = charts[n]
      if (chart !== undefined) readMany(plot, readout, chart)
    })
    return charts
  }
  read(series, Number(figure.dataset["days"]))

  enhanceMore(async (key, days) => {
    const answers = await Promise.all(series.map((one) => loadHistory(one, key, days)))
    const refused = answers.find((answer) => typeof answer === "string")
    if (refused !== undefined) return refused
    const loaded = answers.filter((answer) => typeof answer !== "string")
    const lines = series.map((one, n) => ({
      ...one,
      points: loaded[n]?.series.points ?? [],
      now: undefined
    }))
    const span = Math.max(...lines.map(({ points }) => spanOf(points, now, days)))
    const charts = chartsOf(lines, { by, now, days: span, axis })
    return () => {
      setMarkup(plots, charts.map((chart) => `<div class="plot">${bothCompared(chart)}</div>`).join(""))
      read(lines, span)
      return loaded.find(({ note }) => note !== undefined)?.note ?? `${span} days are in the chart above.`
    }
  })
}

interface Row {
  readonly symbol: string
  readonly name: string
  readonly headline?: string
  readonly metrics: ReadonlyArray<string>
}

/** Suggestions for the fields: networks first, and the metrics of the one that is typed. */
const suggest = (rows: ReadonlyArray<Row>, typed: string): ReadonlyArray<readonly [string, string]> => {
  const [named = "", metric] = typed.toLowerCase().split("/")
  const matching = rows.filter(
    ({ name, symbol }) => symbol.toLowerCase().startsWith(named) || name.toLowerCase().includes(named)
  )
  if (metric === undefined) {
    return matching
      .filter(({ headline }) => headline !== undefined)
      .slice(0, 30)
      .map(({ headline, name, symbol }) => [`${symbol}/${headline}`, name])
  }
  const of = rows.find(({ symbol }) => symbol.toLowerCase() === named) ?? matching[0]
  return (of?.metrics ?? [])
    .filter((one) => one.toLowerCase().includes(metric))
    .slice(0, 60)
    .map((one) => [`${of?.symbol}/${one}`, of?.name ?? ""])
}

const list = document.querySelector("#targets")
let rows: Promise<ReadonlyArray<Row>> | undefined
const allRows = async (): Promise<ReadonlyArray<Row>> => {
  const response = await fetch("/v1/symbols")
  const { symbols }: { symbols?: ReadonlyArray<Row> } = await response.json()
  return symbols ?? []
}

for (const input of document.querySelectorAll<HTMLInputElement>(".picks input")) {
  const fill = async () => {
    rows ??= allRows()
    const suggestions = suggest(await rows, input.value.trim())
    list?.replaceChildren(
      ...suggestions.map(([value, label]) =>
        Object.assign(document.createElement("option"), { value, label })
      )
    )
  }
  const refresh = () => {
    fill().catch(() => {
      rows = undefined
    })
  }
  input.addEventListener("focus", refresh)
  input.addEventListener("input", refresh)
}
