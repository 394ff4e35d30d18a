/**
 * What several series add up to on each day, as SVG: one column a day, with a band for each series. Bands stand in one order
 * and have a letter beside the last column, so that nobody needs the colours.
 */
import type { Unit } from "../../../core/plugin/Value.ts"
import { formatDay, valueText } from "../html/format.ts"
import { framed } from "./framed.ts"
import type { Letter } from "./letters.ts"
import { type Frame, plumb } from "./lineChart.ts"
import { lineEnds, namedFrame } from "./lineEnds.ts"
import { dayNumber } from "./scale.ts"
import { valueAxis } from "./valueAxis.ts"
import { at } from "./xml.ts"

export interface Band {
  readonly letter: Letter
  readonly label: string
  /** One for each day of the chart, none below 0. */
  readonly values: ReadonlyArray<number>
}

export interface StackChart {
  /** Unique on the page. */
  readonly id: string
  readonly title: string
  readonly unit: Unit
  /** The days with a column, oldest first. A day without one is a gap. */
  readonly dates: ReadonlyArray<string>
  /** From below. */
  readonly bands: ReadonlyArray<Band>
  /** Now, epoch milliseconds. */
  readonly now: number
  /** Days of the axis, today among them. */
  readonly days: number
  readonly width?: number | undefined
  readonly height?: number | undefined
}

/** Where a band begins and ends on each day. */
interface Layer {
  readonly band: Band
  readonly from: ReadonlyArray<number>
  readonly to: ReadonlyArray<number>
}

const layersOf = ({ bands, dates }: StackChart): ReadonlyArray<Layer> => {
  let from: ReadonlyArray<number> = dates.map(() => 0)
  return bands.map((band) => {
    const layer = { band, from, to: from.map((below, n) => below + (band.values[n] ?? 0)) }
    from = layer.to
    return layer
  })
}

/** The part of a day's width that its column takes. */
const columnShare = 0.78

const columns = (dates: ReadonlyArray<string>, { from, to }: Layer, { x, y }: Frame): string =>
  dates
    .map((date, n) => {
      const day = dayNumber(date)
      const width = x(day + columnShare) - x(day)
      const left = x(day + (1 - columnShare) / 2)
      return `M${at(left)} ${at(y(from[n] ?? 0))}V${at(y(to[n] ?? 0))}h${at(width)}V${at(y(from[n] ?? 0))}z`
    })
    .join("")

const summaryOf = ({ bands, dates, unit }: StackChart): string => {
  const [first, last] = [dates[0], dates.at(-1)]
  if (first === undefined || last === undefined) return "No day on which each has a value."
  return `${bands
    .map(
      ({ label, letter, values }) =>
        `${letter.toUpperCase()}, ${label}: from ${valueText(values[0] ?? 0, unit)} on ${formatDay(first)} to ${valueText(values.at(-1) ?? 0, unit)} on ${formatDay(last)}`
    )
    .join("; ")}.`
}

export const stackChart = (chart: StackChart): string => {
  const { bands, dates, unit } = chart
  const layers = layersOf(chart)
  const axis = valueAxis([0, ...(layers.at(-1)?.to ?? [])], unit)
  const frame = namedFrame(
    chart,
    axis,
    bands.map(({ label }) => label)
  )
  return [
    framed(chart, summaryOf(chart), frame),
    ...layers.map(
      (layer) => `<path class="band of-${layer.band.letter}" d="${columns(dates, layer, frame)}"/>`
    ),
    plumb(frame),
    ...lineEnds(
      layers.map(({ band: { label, letter }, from, to }) => ({
        letter,
        label,
        y: frame.y(((from.at(-1) ?? 0) + (to.at(-1) ?? 0)) / 2)
      })),
      frame
    ),
    "</svg>"
  ].join("")
}

/** The chart in two sizes, of which the style shows one. */
export const bothStacks = (chart: StackChart): string =>
  `<div class="on-wide">${stackChart({ ...chart, width: 1280, height: 360 })}</div>` +
  `<div class="on-narrow">${stackChart({ ...chart, id: `${chart.id}-n`, width: 400, height: 280 })}</div>`
