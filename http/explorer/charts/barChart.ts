/** Bars from one line to the left and to the right, as SVG: changes and shares of a few names. */
import { at, escapeXml } from "./xml.ts"

export interface Bar {
  readonly name: string
  readonly value: number
  /** The value as it is shown. */
  readonly text: string
}

export interface BarChart {
  /** Unique on the page. */
  readonly id: string
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
}

const row = 26

/** A bar to the left is hollow, so that its direction is not told by colour. */
export const barChart = ({ bars, id, title }: BarChart, width: number): string => {
  const names = width < 500 ? 84 : 130
  const values = 76
  const left = Math.min(0, ...bars.map(({ value }) => value))
  const right = Math.max(0, ...bars.map(({ value }) => value))
  const span = right - left || 1
  // The text of a bar to the left is to the left of it.
  const from = names + (left < 0 ? values : 0)
  const to = width - (right > 0 ? values : 8)
  const x = (value: number) => from + ((value - left) / span) * (to - from)
  const height = bars.length * row + 8
  const summary = bars.map(({ name, text }) => `${name} ${text}`).join("; ")
  return [
    `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t" aria-describedby="${id}-d" xmlns="http://www.w3.org/2000/svg">`,
    `<title id="${id}-t">${escapeXml(title)}</title><desc id="${id}-d">${escapeXml(summary)}</desc>`,
    ...bars.map(({ name, text, value }, n) => {
      const y = n * row + 4
      const [a, b] = [Math.min(x(0), x(value)), Math.max(x(0), x(value))]
      const isLess = value < 0
      return (
        `<text class="bar-name" x="0" y="${y + 15}">${escapeXml(name)}</text>` +
        `<rect class="bar${isLess ? " less" : ""}" x="${at(a)}" y="${y + 4}" width="${at(Math.max(1, b - a))}" height="${row - 12}"/>` +
        `<text class="bar-value"${isLess ? ' text-anchor="end"' : ""} x="${at(isLess ? a - 6 : b + 6)}" y="${y + 15}">${escapeXml(text)}</text>`
      )
    }),
    `<path class="axis" d="M${at(x(0))} 0V${height}"/></svg>`
  ].join("")
}

/** The chart in two sizes, of which the style shows one. */
export const bothBars = (chart: BarChart): string =>
  `<div class="on-wide">${barChart(chart, 640)}</div>` +
  `<div class="on-narrow">${barChart({ ...chart, id: `${chart.id}-n` }, 400)}</div>`
