/** The page of a metric: values off the chart, and longer windows with a key that stays in this tab. */
import type { Unit } from "../../../core/plugin/Value.ts"
import { bothSizes, type LineChart, type Mark } from "../charts/lineChart.ts"
import type { Point } from "../charts/scale.ts"
import { axisOf } from "../charts/valueAxis.ts"
import { changeSentence } from "../html/change.ts"
import { addCopy } from "./parts/copyButton.ts"
import { enhanceMore, loadHistory, spanOf } from "./parts/history.ts"
import { enableLookAgain } from "./parts/lookAgain.ts"
import { readValues } from "./parts/readLineChart.ts"
import { enableStars } from "./parts/star.ts"
import { setMarkup } from "./parts/trusted.ts"
import { checkWhenIdle, enableVerification } from "./parts/verifying.ts"
import "./page.ts"

enableVerification()
enableLookAgain()
enableStars()
checkWhenIdle()

for (const [place, what] of [
  ["#cite", "the citation"],
  ["#badge", "the badge"],
  ["#embed", "the frame"],
  ["#embed-picture", "the picture"],
  ["[aria-labelledby=proof-title] pre", "the command"]
] as const) {
  const block = document.querySelector<HTMLElement>(place)
  if (block !== null) addCopy(block, what)
}

const figure = document.querySelector<HTMLElement>("#figure")
const plot = figure?.querySelector<HTMLElement>(".plot")
const readout = figure?.querySelector<HTMLElement>(".readout")

interface Drawn {
  readonly points: ReadonlyArray<Point>
  readonly marks: ReadonlyArray<Mark>
  readonly asKnown?: LineChart["asKnown"]
  readonly days: number
}

const chartOf = (data: DOMStringMap, drawn: Drawn): LineChart => ({
  id: "chart",
  title: data["title"] ?? "",
  unit: (data["unit"] ?? "count") as Unit,
  axis: axisOf(data["axis"]),
  now: Number(data["now"]),
  ...drawn
})

/** What the server drew, read from the data that it put beside the chart. */
const first = (data: DOMStringMap): Drawn => {
  const drawn: Omit<Drawn, "days"> = JSON.parse(
    document.querySelector("#chart-data")?.textContent ?? '{"points":[],"marks":[]}'
  )
  return { ...drawn, days: Number(data["days"]) }
}

if (figure !== null && plot instanceof HTMLElement && readout instanceof HTMLElement) {
  const data = figure.dataset
  const now = first(data)
  readValues(plot, readout, chartOf(data, now))

  enhanceMore(async (key, days) => {
    const name = {
      symbol: data["symbol"] ?? "",
      metric: data["metric"] ?? "",
      source: data["source"] ?? ""
    }
    const loaded = await loadHistory(name, key, days)
    if (typeof loaded === "string") return loaded
    const { note, series } = loaded
    const { points } = series
    const chart = chartOf(data, { points, marks: now.marks, days: spanOf(points, Number(data["now"]), days) })
    return () => {
      setMarkup(plot, bothSizes(chart))
      for (const link of document.querySelectorAll<HTMLAnchorElement>(".ranges a"))
        if (link.hash === "#longer") link.setAttribute("aria-current", "true")
        else link.removeAttribute("aria-current")
      readout.textContent = changeSentence(series)
      readValues(plot, readout, chart)
      return note ?? `${points.length} days are in the chart above.`
    }
  })
}
