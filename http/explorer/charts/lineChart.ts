/**
 * A chart of one daily series, as SVG. The same text is used on pages, in files and in a browser. Colours and fonts come
 * from `styles/chart.css` by class, so the theme of the page applies; `chartFile.ts` puts them into files.
 */
import { day as dayMs } from "../../../core/plugin/time.ts"
import type { Unit } from "../../../core/plugin/Value.ts"
import { formatDay, formatShortDay, valueText } from "../html/format.ts"
import { dateOfDay, dayNumber, type Point, pathOf, runsOf } from "./scale.ts"
import { type AxisChoice, type ValueAxis, valueAxis } from "./valueAxis.ts"
import { at, escapeXml } from "./xml.ts"

/** What happened to the value of a day. Each kind has a form of its own, never only a colour. */
export interface Mark {
  readonly date: string
  /** The last day of a mark over several days. */
  readonly to?: string | undefined
  readonly kind: "revision" | "late" | "incident" | "unusual"
  readonly reason: string
}

/** A mark at the value of one day. */
type PointMark = Mark & { readonly kind: Exclude<Mark["kind"], "incident"> }

const isPointMark = (mark: Mark): mark is PointMark => mark.kind !== "incident"

export interface LineChart {
  /** Unique on the page. */
  readonly id: string
  readonly title: string
  readonly unit: Unit
  readonly points: ReadonlyArray<Point>
  readonly marks?: ReadonlyArray<Mark> | undefined
  /** Now, epoch milliseconds. */
  readonly now: number
  readonly days: number
  readonly axis?: AxisChoice | undefined
  /** Of a chart as it was known at an earlier time: that time, epoch milliseconds, and what is published of the same days now. */
  readonly asKnown?: { readonly at: number; readonly now: ReadonlyArray<Point> } | undefined
  readonly width?: number | undefined
  readonly height?: number | undefined
}

/** Room around the plot for what is written there. */
export interface Edge {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** What a frame is made of. */
export type Framed = Pick<LineChart, "days" | "height" | "now" | "width">

/** Room for what is written at the values: a small text leaves the plot as wide as in other charts. */
export const valuesRoom = ({ room }: ValueAxis): number => Math.max(leastRoom, room + 12)

const leastRoom = 78

/** Where things are in a chart of one series. Values are to the right, and above is room for the label of now. */
export const lineFrame = (chart: LineChart): Frame => {
  const axis = valueAxis(
    [...chart.points, ...(chart.asKnown?.now ?? [])].map(({ value }) => value),
    chart.unit,
    chart.axis
  )
  return frameOf(chart, axis, { left: 12, right: valuesRoom(axis), top: 22, bottom: 30 })
}

/** Pixels, where a chart does not say. */
export const defaultWidth = 860

/** Where things are, for the chart and for the script that reads values off it. */
export const frameOf = (
  { days, height = 300, now, width = defaultWidth }: Framed,
  axis: ValueAxis,
  edge: Edge
) => {
  const last = Math.floor(now / dayMs)
  const first = last - days + 1
  const right = width - edge.right
  const bottom = height - edge.bottom
  const x = (day: number) => edge.left + ((day - first) / (last + 1 - first)) * (right - edge.left)
  const y = (value: number) => bottom - axis.share(value) * (bottom - edge.top)
  const nowX = x(now / dayMs)
  /** A closed day is in its middle; the value of today is at most as far as now. */
  const place = ({ date, value }: Point) => [Math.min(x(dayNumber(date) + 0.5), nowX), y(value)] as const
  return {
    first,
    last,
    axis,
    left: edge.left,
    right,
    top: edge.top,
    bottom,
    width,
    height,
    x,
    y,
    nowX,
    place
  }
}

export const lineChart = (chart: LineChart): string => {
  const { id, marks = [], points, title, unit } = chart
  const frame = lineFrame(chart)
  const { axis, bottom, height, left, place, right, top, width, y } = frame
  const summary = summaryOf(chart)
  const parts = [
    `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t" aria-describedby="${id}-d" xmlns="http://www.w3.org/2000/svg">`,
    `<title id="${id}-t">${escapeXml(title)}</title><desc id="${id}-d">${escapeXml(summary)}</desc>`,
    ...marks.filter(({ kind }) => kind === "incident").map((mark) => incident(mark, frame)),
    ...axis.ticks.map(
      ({ text, value }) =>
        `<path class="grid" d="M${left} ${at(y(value))}H${at(right)}"/><text class="tick" x="${at(right + 8)}" y="${at(y(value) + 4)}">${escapeXml(text)}</text>`
    ),
    valueTitle(frame),
    dayAxis(frame),
    ...(chart.asKnown === undefined
      ? []
      : ghost(points, chart.asKnown.now, frame, (value) => valueText(value, unit))),
    ...runsOf(points).flatMap((run) => lines(run, frame)),
    ...points.map((point) => {
      const [cx, cy] = place(point)
      const label = `${formatDay(point.date)}: ${valueText(point.value, unit)}${point.open === true ? ", day not closed" : ""}`
      const r = points.length > 45 ? 1.5 : 2.5
      return `<circle class="${point.open === true ? "dot open" : "dot"}" cx="${at(cx)}" cy="${at(cy)}" r="${r}"><title>${escapeXml(label)}</title></circle>`
    }),
    ...marks.filter(isPointMark).map((mark) => sign(mark, points, frame)),
    chart.asKnown === undefined ? plumb(frame) : plumb(frame, chart.asKnown.at),
    points.length === 0
      ? `<text class="empty" text-anchor="middle" x="${at((left + right) / 2)}" y="${at((top + bottom) / 2)}">No reading in these ${chart.days} days</text>`
      : "",
    "</svg>"
  ]
  return parts.join("")
}

/** The title of the values' axis: above the plot, away from the label of now. */
export const valueTitle = ({ axis, left, top }: Frame): string =>
  `<text class="axis-title" x="${left}" y="${top - 11}">${escapeXml(axis.title)}</text>`

/** The line below the plot with some of its days. */
export const dayAxis = ({ bottom, first, last, left, nowX, right, width, x }: Frame): string => {
  // Beside the plot, on the side of the values.
  const isRight = left < leastRoom
  const dayTitle = `<text class="axis-title" text-anchor="${isRight ? "end" : "start"}" x="${isRight ? width - 2 : 2}" y="${bottom + 18}">UTC day</text>`
  const step = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, Math.floor((right - left) / 90))))
  const days = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, n) => last - n * step)
  return `${days
    .reverse()
    .map((day) => {
      const middle = at(Math.min(x(day + 0.5), nowX))
      return `<path class="axis" d="M${middle} ${bottom}v4"/><text class="tick" text-anchor="middle" x="${middle}" y="${bottom + 18}">${formatShortDay(dateOfDay(day))}</text>`
    })
    .join("")}<path class="axis" d="M${left} ${bottom}H${at(right)}"/>${dayTitle}`
}

/** The chart in two sizes, of which the style shows one: text that is scaled down with a chart cannot be read on a phone. */
export const bothSizes = (chart: LineChart): string =>
  `<div class="on-wide">${lineChart(chart)}</div>` +
  `<div class="on-narrow">${lineChart({ ...narrowed(chart), id: `${chart.id}-n` })}</div>`

/** The chart as it is shown on a phone. */
export const narrowed = (chart: LineChart): LineChart => ({ ...chart, width: 400, height: 280 })

export type Frame = ReturnType<typeof frameOf>

/** What the chart shows, in one sentence. */
export const summaryOf = ({ days, points, unit }: LineChart): string => {
  const [oldest, newest] = [points[0], points.at(-1)]
  if (oldest === undefined || newest === undefined) return `No reading in the last ${days} days.`
  const lowest = points.reduce((least, one) => (one.value < least.value ? one : least), oldest)
  const highest = points.reduce((most, one) => (one.value > most.value ? one : most), oldest)
  const missing = dayNumber(newest.date) - dayNumber(oldest.date) + 1 - points.length
  return (
    `${points.length} days with a reading, from ${valueText(oldest.value, unit)} on ${formatDay(oldest.date)} ` +
    `to ${valueText(newest.value, unit)} on ${formatDay(newest.date)}; ` +
    `lowest ${valueText(lowest.value, unit)} on ${formatDay(lowest.date)}, ` +
    `highest ${valueText(highest.value, unit)} on ${formatDay(highest.date)}` +
    `${missing > 0 ? `; ${missing} ${missing === 1 ? "day" : "days"} without a reading` : ""}.`
  )
}

/** The line over closed days, and a dashed one to the days that are still open. */
export const lines = (run: ReadonlyArray<Point>, { place }: Frame): ReadonlyArray<string> => {
  const firstOpen = run.findIndex(({ open }) => open === true)
  const closed = firstOpen < 0 ? run : run.slice(0, firstOpen)
  const open = firstOpen < 0 ? [] : run.slice(Math.max(0, firstOpen - 1))
  return [
    ...(closed.length > 1 ? [`<path class="line" d="${pathOf(closed, place)}"/>`] : []),
    ...(open.length > 1 ? [`<path class="line open" d="${pathOf(open, place)}"/>`] : [])
  ]
}

const incident = ({ date, reason, to = date }: Mark, { bottom, left, nowX, top, x }: Frame): string => {
  const from = Math.max(left, x(dayNumber(date)))
  const until = Math.min(nowX, x(dayNumber(to) + 1))
  return until <= from
    ? ""
    : `<g class="incident"><rect x="${at(from)}" y="${top}" width="${at(until - from)}" height="${at(bottom - top)}"/><path d="M${at(from)} ${top}H${at(until)}"/><title>${escapeXml(`Incident: ${reason}`)}</title></g>`
}

/** A diamond over a revised value, a triangle under a late one, a ring around an unusual one. */
const sign = (mark: PointMark, points: ReadonlyArray<Point>, frame: Frame): string => {
  const point = points.find(({ date }) => date === mark.date)
  if (point === undefined) return ""
  const [x, y] = frame.place(point)
  const shape = {
    revision: `M${at(x)} ${at(y - 13)}l4 4l-4 4l-4 -4z`,
    late: `M${at(x)} ${at(y + 6)}l4.5 7h-9z`,
    unusual: `M${at(x - 6)} ${at(y)}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z`
  }[mark.kind]
  return `<path class="mark ${mark.kind}" d="${shape}"><title>${escapeXml(`${formatDay(mark.date)}: ${mark.reason}`)}</title></path>`
}

/** What is published now where it is not what was known then: the line through those days, and a ring at each. */
export const ghost = (
  points: ReadonlyArray<Point>,
  now: ReadonlyArray<Point>,
  { place }: Frame,
  textOf: (value: number) => string
): ReadonlyArray<string> => {
  const then = new Map(points.map(({ date, value }) => [date, value]))
  const changed = now.filter(({ date, value }) => then.get(date) !== value)
  return changed.length === 0
    ? []
    : [
        ...runsOf(now).map((run) => `<path class="line ghost" d="${pathOf(run, place)}"/>`),
        ...changed.map((point) => {
          const [cx, cy] = place(point)
          return `<circle class="dot ghost" cx="${at(cx)}" cy="${at(cy)}" r="2.5"><title>${escapeXml(`${formatDay(point.date)}: ${textOf(point.value)} now`)}</title></circle>`
        })
      ]
}

/** The plumb line: a cord from above, and the bob that shows where now is, or the time that a chart is of. */
export const plumb = ({ bottom, nowX, top, x }: Frame, then?: number): string => {
  const place = then === undefined ? nowX : x(then / dayMs)
  const words = then === undefined ? "now" : `known ${formatShortDay(new Date(then).toISOString())}`
  return `<g class="plumb-line"><path class="plumb" d="M${at(place)} ${top - 8}V${bottom - 2}"/><path class="bob" d="M${at(place - 3.5)} ${bottom - 5}h7l-3.5 8z"/><text class="now" text-anchor="middle" x="${at(place)}" y="${top - 11}">${words}</text></g>`
}
