/** A cursor over the days of a chart, moved by pointer and by keyboard: the arrow keys go from day to day. */
import type { Frame } from "../../charts/lineChart.ts"

const svgName = "http://www.w3.org/2000/svg"

/** A chart as it is read: day by day. */
export interface Readable {
  /** The frames of both sizes in which it was drawn. */
  readonly wide: Frame
  readonly narrow: Frame
  /** In their order. */
  readonly dates: ReadonlyArray<string>
  readonly says: (date: string) => string
}

/** Both sizes of a chart in a plot. Call again after another was put there; the listeners of the old one go with it. */
export const enableCursors = (plot: HTMLElement, readout: HTMLElement, chart: Readable): void => {
  enableCursor(plot.querySelector(".on-wide svg"), chart.wide, readout, chart)
  enableCursor(plot.querySelector(".on-narrow svg"), chart.narrow, readout, chart)
}

/** Says in `readout` what is under the cursor, and once the cursor is gone, what stood there before. */
const enableCursor = (
  svg: SVGSVGElement | null,
  frame: Frame,
  readout: HTMLElement,
  { dates, says }: Readable
): void => {
  const places = dates.map((date) => frame.place({ date, value: 0 })[0])
  if (svg === null || places.length === 0) return
  const before = readout.textContent ?? ""
  const cursor = document.createElementNS(svgName, "path")
  cursor.setAttribute("class", "cursor")
  svg.append(cursor)
  const last = places.length - 1
  const set = (...attributes: ReadonlyArray<readonly [name: string, value: number | string]>) => {
    for (const [name, value] of attributes) svg.setAttribute(name, `${value}`)
  }
  // The arrow keys work, which nobody expects of an image.
  set(
    ["tabindex", 0],
    ["role", "slider"],
    ["aria-valuemin", 0],
    ["aria-valuemax", last],
    ["aria-valuenow", last]
  )
  let at = -1

  const show = (place: number) => {
    at = place
    cursor.setAttribute("d", `M${places[place]} ${frame.top}V${frame.bottom}`)
    const text = says(dates[place] ?? "")
    readout.textContent = text
    set(["aria-valuenow", place], ["aria-valuetext", text])
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
