/**
 * Small charts beside each other on one axis: each begins at 0 and ends at the same multiple of its first day, so that an equal
 * change is an equal slope, however large the network is. They hold no text: its label and the page around it say what it shows.
 */
import { day as dayMs } from "../../../core/plugin/time.ts"
import { dayNumber, type Point, pathOf, runsOf } from "./scale.ts"
import { at, escapeXml } from "./xml.ts"

const width = 280
const height = 84
const ground = height - 2

/** The multiples of the first day between which the common axis ends. */
const least = 1.2
const most = 3

const firstOf = (points: ReadonlyArray<Point>): number => points[0]?.value ?? 0

const highestOf = (points: ReadonlyArray<Point>): number =>
  points.reduce((high, { value }) => Math.max(high, value), 0)

/** How many times the first day's value the common axis ends at. */
export const commonTop = (series: ReadonlyArray<ReadonlyArray<Point>>): number => {
  const ratios = series
    .filter((points) => firstOf(points) > 0)
    .map((points) => highestOf(points) / firstOf(points))
  return Math.min(most, Math.max(least, ...ratios.map((ratio) => 1.05 * ratio)))
}

/** Whether a series fits the common axis; one that does not has an axis of its own, and says so. */
export const fits = (points: ReadonlyArray<Point>, top: number): boolean =>
  firstOf(points) > 0 && highestOf(points) <= top * firstOf(points)

export interface Multiple {
  readonly points: ReadonlyArray<Point>
  /** Of `commonTop`. */
  readonly top: number
  readonly now: number
  readonly days: number
  /** What the line says, for who cannot see it. */
  readonly label: string
}

export const multiple = ({ days, label, now, points, top }: Multiple): string => {
  const last = Math.floor(now / dayMs)
  const first = last - days + 1
  const highest = fits(points, top) ? top * firstOf(points) : 1.05 * highestOf(points) || 1
  const x = (day: number) => ((day - first) / (last + 1 - first)) * (width - 4)
  const place = ({ date, value }: Point) =>
    [x(dayNumber(date) + 0.5), ground - (value / highest) * (ground - 6)] as const
  const runs = runsOf(points)
  const nowX = at(x(now / dayMs))
  return `<svg class="multiple" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(label)}">${runs
    .map((run) => {
      const [from, to] = [run[0], run.at(-1)]
      if (from === undefined || to === undefined) return ""
      if (run.length === 1)
        return `<circle class="spark-dot" cx="${at(place(from)[0])}" cy="${at(place(from)[1])}" r="2"/>`
      const line = pathOf(run, place)
      return `<path class="area" d="${line}V${ground}H${at(place(from)[0])}z"/><path class="spark-line" d="${line}"/>`
    })
    .join(
      ""
    )}<path class="base" d="M0 ${ground}H${width}"/><path class="plumb" d="M${nowX} 0V${ground}"/></svg>`
}
