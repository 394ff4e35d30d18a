/** Reads the values of one day off a chart of several series, by pointer and by the arrow keys. */
import { type CompareChart, compareFrame, narrowedCompared } from "../../charts/compareChart.ts"
import { formatDay, valueText } from "../../html/format.ts"

const svgName = "http://www.w3.org/2000/svg"

/** Both sizes of the chart in a plot. */
export const readMany = (plot: HTMLElement, readout: HTMLElement, chart: CompareChart): void => {
  read(plot.querySelector(".on-wide svg"), readout, chart)
  read(plot.querySelector(".on-narrow svg"), readout, narrowedCompared(chart))
}

const read = (svg: SVGSVGElement | null, readout: HTMLElement, chart: CompareChart): void => {
  const dates = [...new Set(chart.lines.flatMap(({ points }) => points.map(({ date }) => date)))].sort()
  if (svg === null || dates.length === 0) return
  const frame = compareFrame(chart)
  const places = dates.map((date) => frame.place({ date, value: 0 })[0])
  const before = readout.textContent ?? ""
  const cursor = document.createElementNS(svgName, "path")
  cursor.setAttribute("class", "cursor")
  svg.append(cursor)
  svg.setAttribute("tabindex", "0")
  let at = -1

  const show = (place: number) => {
    const [date, x] = [dates[place], places[place]]
    if (date === undefined || x === undefined) return
    at = place
    cursor.setAttribute("d", `M${x} ${frame.top}V${frame.bottom}`)
    const values = chart.lines.flatMap(({ letter, points, unit }) => {
      const point = points.find((one) => one.date === date)
      if (point === undefined) return []
      const value = chart.isIndex ? Math.round(point.value * 100) / 100 : point.value
      return [`${letter.toUpperCase()} ${valueText(value, chart.isIndex ? "count" : unit)}`]
    })
    readout.textContent = `${formatDay(date)}: ${values.join(" · ")}`
  }
  const leave = () => {
    at = -1
    cursor.removeAttribute("d")
    readout.textContent = before
  }
  const nearest = (event: PointerEvent) => {
    const box = svg.getBoundingClientRect()
    const x = ((event.clientX - box.left) / box.width) * frame.width
    return places.reduce(
      (best, place, n) => (Math.abs(place - x) < Math.abs((places[best] ?? 0) - x) ? n : best),
      0
    )
  }
  svg.addEventListener("pointermove", (event) => show(nearest(event)))
  svg.addEventListener("pointerdown", (event) => show(nearest(event)))
  svg.addEventListener("pointerleave", leave)
  svg.addEventListener("blur", leave)
  svg.addEventListener("keydown", (event) => {
    const last = dates.length - 1
    const next: Readonly<Record<string, number>> = {
      ArrowLeft: at < 0 ? last : Math.max(0, at - 1),
      ArrowRight: at < 0 ? last : Math.min(last, at + 1),
      Home: 0,
      End: last
    }
    const place = next[event.key]
    if (place !== undefined) {
      event.preventDefault()
      show(place)
    }
    if (event.key === "Escape") leave()
  })
}
