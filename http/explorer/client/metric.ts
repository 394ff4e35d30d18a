/** The page of a metric: values off the chart, and longer windows with a key that stays in this tab. */
import type { Unit } from "../../../core/plugin/Value.ts"
import { bothSizes, type LineChart, type Mark } from "../charts/lineChart.ts"
import type { Point } from "../charts/scale.ts"
import { formatChange } from "../html/format.ts"
import { readValues } from "./parts/reading.ts"
import { checkWhenIdle, enableVerification } from "./parts/verifying.ts"
import "./page.ts"

// As it came, before scripts add to it.
const served = document.cloneNode(true)
enableVerification()
checkWhenIdle(served instanceof Document ? served : undefined)

const figure = document.querySelector<HTMLElement>("#figure")
const plot = figure?.querySelector<HTMLElement>(".plot")
const readout = figure?.querySelector<HTMLElement>(".readout")
const form = document.querySelector<HTMLFormElement>("#more")

interface Drawn {
  readonly points: ReadonlyArray<Point>
  readonly marks: ReadonlyArray<Mark>
  readonly days: number
}

const chartOf = (data: DOMStringMap, drawn: Drawn): LineChart => ({
  id: "chart",
  title: data["title"] ?? "",
  unit: (data["unit"] ?? "count") as Unit,
  now: Number(data["now"]),
  ...drawn
})

/** What the server drew, read from the data that it put beside the chart. */
const first = (data: DOMStringMap): Drawn => {
  const { marks, points }: Pick<Drawn, "marks" | "points"> = JSON.parse(
    document.querySelector("#chart-data")?.textContent ?? '{"points":[],"marks":[]}'
  )
  return { points, marks, days: Number(data["days"]) }
}

interface Problem {
  readonly message?: string
}

if (figure !== null && plot instanceof HTMLElement && readout instanceof HTMLElement) {
  const data = figure.dataset
  const now = first(data)
  readValues(plot, readout, chartOf(data, now))

  const load = async (key: string, days: number): Promise<string> => {
    const query = new URLSearchParams({
      network: data["symbol"] ?? "",
      metric: data["metric"] ?? "",
      source: data["source"] ?? "",
      days: String(days)
    })
    const response = await fetch(`/v1/history?${query}`, { headers: { "x-api-key": key } })
    const answer: {
      data?: Record<string, Record<string, { points: ReadonlyArray<Point>; change_pct: number | null }>>
      note?: string
    } & Problem = await response.json()
    if (!response.ok) return answer.message ?? `The service answered ${response.status}.`
    const series = answer.data?.[data["symbol"] ?? ""]?.[data["metric"] ?? ""]
    if (series === undefined) return "No reading in this window."
    sessionStorage.setItem("key", key)
    const oldest = Date.parse(`${series.points[0]?.date ?? ""}T00:00:00Z`)
    const spanned = Math.floor(Number(data["now"]) / 86_400_000) - Math.floor(oldest / 86_400_000) + 1
    const chart = chartOf(data, { ...now, points: series.points, days: Math.min(days, spanned) })
    plot.innerHTML = bothSizes(chart)
    readout.textContent = `${formatChange(series.change_pct)} in ${chart.days} days`
    readValues(plot, readout, chart)
    return answer.note ?? `${series.points.length} days are in the chart above.`
  }

  if (form !== null) {
    form.hidden = false
    const said = form.querySelector<HTMLElement>(".readout")
    const key = form.querySelector<HTMLInputElement>("[name=key]")
    const days = form.querySelector<HTMLSelectElement>("[name=days]")
    if (key !== null) key.value = sessionStorage.getItem("key") ?? ""
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      const show = (text: string) => {
        if (said !== null) said.textContent = text
      }
      show("Loading …")
      load(key?.value.trim() ?? "", Number(days?.value ?? 90)).then(show, () =>
        show("The service did not answer. Try again.")
      )
    })
  }
}
