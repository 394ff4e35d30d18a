/** Reads values off a chart by pointer and by keyboard: the arrow keys go from day to day. */
import { frameOf, type LineChart, narrowed } from "../../charts/lineChart.ts"
import { formatDay, valueText } from "../../html/format.ts"

const svgName = "http://www.w3.org/2000/svg"

/** Both sizes of the chart in a plot. Call again after another was put there; the listeners of the old one go with it. */
export const readValues = (plot: HTMLElement, readout: HTMLElement, chart: LineChart): void => {
  read(plot.querySelector(".on-wide svg"), readout, chart)
  read(plot.querySelector(".on-narrow svg"), readout, narrowed(chart))
}

const read = (svg: SVGSVGElement | null, readout: HTMLElement, chart: LineChart): void => {
  if (svg === null || chart.points.length === 0) return
  const frame = frameOf(chart)
  const places = chart.points.map((point) => frame.place(point)[0])
  const before = readout.textContent ?? ""
  const cursor = document.createElementNS(svgName, "path")
  cursor.setAttribute("class", "cursor")
  svg.append(cursor)
  svg.setAttribute("tabindex", "0")
  let at = -1

  const show = (place: number) => {
    const point = chart.points[place]
    const x = places[place]
    if (point === undefined || x === undefined) return
    at = place
    cursor.setAttribute("d", `M${x} ${frame.top}V${frame.bottom}`)
    const marks = (chart.marks ?? []).filter(({ date, to = date }) => date <= point.date && point.date <= to)
    readout.textContent = [
      `${formatDay(point.date)}: ${valueText(point.value, chart.unit)}`,
      ...(point.open === true ? ["day not closed yet"] : []),
      ...marks.map(({ reason }) => reason)
    ].join("; ")
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
    const last = places.length - 1
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
