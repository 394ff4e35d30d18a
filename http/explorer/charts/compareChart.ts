/**
 * A chart of up to six daily series. Each has a letter at its end and a sign of its own at each day, so that nobody needs the
 * colours. Works in a browser too.
 */
import { type Unit, wordOf } from "../../../core/plugin/units.ts"
import { formatDay, formatIndex, valueText } from "../html/format.ts"
import { framed } from "./framed.ts"
import type { Letter } from "./letters.ts"
import { type Frame, ghost, lines, plumb } from "./lineChart.ts"
import { lineEnds, namedFrame } from "./lineEnds.ts"
import { type Point, runsOf } from "./scale.ts"
import { type AxisChoice, axisChoices, choicesFor, type Measure, valueAxis } from "./valueAxis.ts"
import { at } from "./xml.ts"

export interface ComparedLine {
  readonly letter: Letter
  readonly name: string
  /** What tells it from the others, short enough for the end of its line. */
  readonly label: string
  readonly unit: Unit
  readonly points: ReadonlyArray<Point>
  /** Of a series as it was known at an earlier time: what is published of the same days now. */
  readonly now?: ReadonlyArray<Point> | undefined
}

export interface CompareChart {
  /** Unique on the page. */
  readonly id: string
  readonly title: string
  readonly lines: ReadonlyArray<ComparedLine>
  /** True if the values are indexes. */
  readonly isIndex: boolean
  readonly now: number
  readonly days: number
  readonly axis?: AxisChoice | undefined
  /** The time that the series are known of, epoch milliseconds; now without it. */
  readonly at?: number | undefined
  readonly width?: number | undefined
  readonly height?: number | undefined
}

/** The value that an index begins with. */
export const indexBase = 100

/** The first day on which every series has a value; undefined if there is none. */
export const commonDay = (of: ReadonlyArray<Pick<ComparedLine, "points">>): string | undefined => {
  const [first, ...others] = of.map(({ points }) => new Set(points.map(({ date }) => date)))
  return [...(first ?? [])].sort().find((date) => others.every((dates) => dates.has(date)))
}

/**
 * The series as an index: 100 on the first day that all of them have, else on the first day of each. One whose value is 0 on that
 * day has no index, and no points. What is published now is of the same base, so that a day differs only where its value does.
 */
export const indexed = (of: ReadonlyArray<ComparedLine>): ReadonlyArray<ComparedLine> => {
  const day = commonDay(of)
  return of.map((line) => {
    const base = (line.points.find(({ date }) => date === day) ?? line.points[0])?.value ?? 0
    const scaled = (points: ReadonlyArray<Point>): ReadonlyArray<Point> =>
      base === 0
        ? []
        : points.map((point) => ({ ...point, value: (point.value / Math.abs(base)) * indexBase }))
    return { ...line, points: scaled(line.points), now: line.now && scaled(line.now) }
  })
}

/** A series so many times smaller than the largest of a chart would lie flat on its ground. */
const apart = 10

/** Series of one unit, largest first, in groups that can be read on one scale. */
const byScale = (of: ReadonlyArray<ComparedLine>): ReadonlyArray<ReadonlyArray<ComparedLine>> => {
  const sized = of
    .map((line) => ({ line, size: Math.max(0, ...line.points.map(({ value }) => Math.abs(value))) }))
    .toSorted((a, b) => b.size - a.size)
  const groups: Array<{ readonly largest: number; readonly lines: Array<ComparedLine> }> = []
  for (const { line, size } of sized) {
    const last = groups.at(-1)
    if (last !== undefined && last.largest <= size * apart) last.lines.push(line)
    else groups.push({ largest: size, lines: [line] })
  }
  return groups.map(({ lines }) => lines.toSorted((a, b) => a.letter.localeCompare(b.letter)))
}

/** The charts that show some series: one for the indexes, else one for each unit and scale. */
export const chartsOf = (
  of: ReadonlyArray<ComparedLine>,
  view: {
    readonly by: "index" | "value"
    readonly now: number
    readonly days: number
    readonly axis?: AxisChoice | undefined
    readonly at?: number | undefined
  }
): ReadonlyArray<CompareChart> => {
  const { by, ...drawn } = view
  if (by === "index")
    return [{ ...drawn, id: "compared", title: "The series as indexes", lines: indexed(of), isIndex: true }]
  return [...Map.groupBy(of, ({ unit }) => unit)].flatMap(([unit, some]) =>
    byScale(some).map((lines, n) => ({
      ...drawn,
      id: `compared-${unit}-${n + 1}`,
      title: `${lines.map(({ name }) => name).join("; ")}${wordOf(unit) === "" ? "" : `, in ${wordOf(unit)}`}`,
      lines,
      isIndex: false
    }))
  )
}

const measured = ({ isIndex, lines }: CompareChart): readonly [ReadonlyArray<number>, Measure] => [
  lines.flatMap(({ now = [], points }) => [...points, ...now].map(({ value }) => value)),
  isIndex ? "index" : (lines[0]?.unit ?? "count")
]

/** What can be chosen for all of these charts together: a logarithm only where each can have it. */
export const choicesForAll = (charts: ReadonlyArray<CompareChart>): ReadonlyArray<AxisChoice> => {
  const each = charts.map((chart) => choicesFor(...measured(chart)))
  return axisChoices.filter((one) =>
    one === "log"
      ? each.length > 0 && each.every((choices) => choices.includes(one))
      : each.some((choices) => choices.includes(one))
  )
}

/** Where things are, for the chart and for the script that reads values off it. */
export const compareFrame = (chart: CompareChart): Frame =>
  namedFrame(
    chart,
    valueAxis(...measured(chart), chart.axis),
    chart.lines.map(({ label }) => label)
  )

export const compareChart = (chart: CompareChart): string => {
  const frame = compareFrame(chart)
  const { bottom, left, right, top } = frame
  const drawn = chart.lines.filter(({ points }) => points.length > 0)
  return [
    framed(chart, summaryOf(chart), frame),
    ...chart.lines.flatMap(({ now, points, unit }) =>
      now === undefined
        ? []
        : ghost(points, now, frame, (value) => (chart.isIndex ? formatIndex(value) : valueText(value, unit)))
    ),
    ...drawn.map(({ letter, points }) =>
      runsOf(points)
        .flatMap((run) => lines(run, frame))
        .join("")
        .replaceAll('class="line', `class="of-${letter} line`)
        .concat(`<path class="signs of-${letter}" d="${signs(letter, points, frame)}"/>`)
    ),
    plumb(frame, chart.at),
    ...lineEnds(
      drawn.flatMap(({ label, letter, points }) => {
        const last = points.at(-1)
        return last === undefined ? [] : [{ letter, label, y: frame.place(last)[1] }]
      }),
      frame
    ),
    drawn.length === 0
      ? `<text class="empty" text-anchor="middle" x="${at((left + right) / 2)}" y="${at((top + bottom) / 2)}">No reading in these ${chart.days} days</text>`
      : "",
    "</svg>"
  ].join("")
}

/** The chart in two sizes, of which the style shows one. */
export const bothCompared = (chart: CompareChart): string =>
  `<div class="on-wide">${compareChart(widenedCompared(chart))}</div>` +
  `<div class="on-narrow">${compareChart({ ...narrowedCompared(chart), id: `${chart.id}-n` })}</div>`

/** The chart over the whole width of a page, where its text is as large as that of the page. */
export const widenedCompared = (chart: CompareChart): CompareChart => ({ ...chart, width: 1280, height: 400 })

/** The chart as it is shown on a phone. */
export const narrowedCompared = (chart: CompareChart): CompareChart => ({ ...chart, width: 400, height: 300 })

/** One of the series as a sign in a line of text. */
export const signOf = (letter: Letter): string =>
  `<svg class="chart sign" viewBox="0 0 22 12" width="22" height="12" aria-hidden="true"><path class="of-${letter} line" d="M0 6h22"/><path class="signs of-${letter}" d="${shapes[letter](11, 6)}"/></svg>`

type Shape = (x: number, y: number) => string

/** A sign for each series; `x` and `y` are its middle. */
const shapes: Readonly<Record<Letter, Shape>> = {
  a: (x, y) => `M${at(x - 2.2)} ${at(y)}a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0z`,
  b: (x, y) => `M${at(x - 2.2)} ${at(y - 2.2)}h4.4v4.4h-4.4z`,
  c: (x, y) => `M${at(x)} ${at(y - 3)}l2.8 4.8h-5.6z`,
  d: (x, y) => `M${at(x)} ${at(y - 3.2)}l3.2 3.2l-3.2 3.2l-3.2-3.2z`,
  e: (x, y) => `M${at(x)} ${at(y + 3)}l2.8-4.8h-5.6z`,
  f: (x, y) => `M${at(x - 2.6)} ${at(y - 2.6)}l5.2 5.2M${at(x + 2.6)} ${at(y - 2.6)}l-5.2 5.2`
}

/** In a long window the signs would hide the lines: about one for each 20 pixels is drawn. */
const signs = (letter: Letter, points: ReadonlyArray<Point>, { left, place, right }: Frame): string => {
  const each = Math.max(1, Math.ceil((points.length * 20) / (right - left)))
  return points
    .filter((_, n) => (points.length - 1 - n) % each === 0)
    .map((point) => shapes[letter](...place(point)))
    .join("")
}

const summaryOf = ({ days, isIndex, lines }: CompareChart): string =>
  lines
    .map(({ letter, name, points, unit }) => {
      const [oldest, newest] = [points[0], points.at(-1)]
      const rangeText =
        oldest === undefined || newest === undefined
          ? `no reading in ${days} days`
          : `from ${valueText(oldest.value, isIndex ? "count" : unit)} on ${formatDay(oldest.date)} to ${valueText(newest.value, isIndex ? "count" : unit)} on ${formatDay(newest.date)}`
      return `${letter.toUpperCase()}, ${name}: ${rangeText}.`
    })
    .join(" ")
