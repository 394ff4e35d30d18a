/** A series in the height of a line of text: gaps are gaps, and the line ends at the plumb line of now. */
import { dayNumber, type Point, pathOf, rangeOf, runsOf } from "./scale.ts"
import { at, escapeXml } from "./xml.ts"

export interface Sparkline {
  readonly points: ReadonlyArray<Point>
  /** The last day shown, `YYYY-MM-DD`. */
  readonly today: string
  readonly days: number
  /** What the line says, for who cannot see it. */
  readonly label: string
}

const width = 120
const height = 28
const inset = 3

export const sparkline = ({ days, label, points, today }: Sparkline): string => {
  const last = dayNumber(today)
  const first = last - days + 1
  const [from, to] = rangeOf(points.map(({ value }) => value))
  const place = ({ date, value }: Point) =>
    [
      inset + ((dayNumber(date) - first) / Math.max(1, days - 1)) * (width - 2 * inset),
      height - inset - ((value - from) / (to - from)) * (height - 2 * inset)
    ] as const
  const runs = runsOf(points)
  const newest = points.at(-1)
  const [x, y] = newest === undefined ? [0, 0] : place(newest)
  return `<svg class="spark" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">${runs
    .map((run) =>
      run.length === 1 && run[0] !== undefined
        ? `<circle class="spark-dot" cx="${at(place(run[0])[0])}" cy="${at(place(run[0])[1])}" r="1"/>`
        : `<path class="spark-line" d="${pathOf(run, place)}"/>`
    )
    .join("")}<path class="plumb" d="M${width - inset} 0V${height}"/>${
    newest === undefined ? "" : `<circle class="spark-end" cx="${at(x)}" cy="${at(y)}" r="2"/>`
  }</svg>`
}
