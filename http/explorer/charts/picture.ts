/** A picture for previews, 1,200 by 630 pixels: what it is about, its value, its chart, and where it is from. */
import { type Bar, barChart } from "./barChart.ts"
import { fileStyle } from "./chartFile.ts"
import { fileFace } from "./fileFace.ts"
import { cut } from "./fit.ts"
import { escapeXml } from "./xml.ts"

export interface Picture {
  readonly heading: string
  /** A second, quieter line. */
  readonly below: string
  readonly value: string
  /** The SVG of a chart of `chartSize`. */
  readonly chart: string | undefined
  readonly foot: string
}

/** Why a picture or a frame has no chart. */
export const withheldWords = "Its source does not let the series be published again."

/** What stands for the chart of such a series: what it is about, and where it is. */
export const withheldPicture = (heading: string): Omit<Picture, "foot"> => ({
  heading,
  below: withheldWords,
  value: "",
  chart: undefined
})

const semiBold = `font-family: "${fileFace} SemiBold", "${fileFace}", sans-serif; font-weight: 600;`

const width = 1200
const height = 630
const inset = 60

/** What a chart of a picture is drawn with. */
export const chartSize = { id: "picture", width: 860, height: 262 } as const

/** Bars for which a picture has room. */
const mostBars = 9

/** The first of some bars as the chart of a picture; undefined without any. */
export const barsPicture = (title: string, bars: ReadonlyArray<Bar>): string | undefined =>
  bars.length === 0
    ? undefined
    : barChart(
        {
          id: chartSize.id,
          title,
          bars: bars.slice(0, mostBars).map((bar) => ({ ...bar, name: cut(bar.name, 18) }))
        },
        chartSize.width
      )

const placed = (chart: string): string =>
  chart.replace(
    /^<svg [^>]*>/,
    `<svg class="chart" x="${inset - 15}" y="224" width="${width - 2 * inset + 30}" height="${Math.round(((width - 2 * inset + 30) * chartSize.height) / chartSize.width)}" viewBox="0 0 ${chartSize.width} ${chartSize.height}">`
  )

export const pictureSvg = ({ below, chart, foot, heading, value }: Picture): string =>
  `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
  `<style>${fileStyle}
.chart .p-heading { fill: #17191c; font-size: 46px; ${semiBold} }
.chart .p-below { fill: #5a5d63; font-size: 25px; }
.chart .p-value { fill: #17191c; font-size: 58px; ${semiBold} }
.chart .p-foot { fill: #5a5d63; font-size: 21px; }
.chart .p-mark { fill: #17191c; font-size: 26px; ${semiBold} }</style>` +
  `<rect class="ground" width="${width}" height="${height}"/>` +
  `<g transform="translate(${inset} 42) scale(1.25)"><path class="plumb" d="M7 0v16"/><path class="bob" d="M2.5 15h9L7 25z"/></g>` +
  `<text class="p-mark" x="${inset + 30}" y="68">Plumbline</text>` +
  `<text class="p-heading" x="${inset}" y="136">${escapeXml(cut(heading, 36))}</text>` +
  `<text class="p-below" x="${inset}" y="176">${escapeXml(cut(below, 70))}</text>` +
  `<text class="p-value" text-anchor="end" x="${width - inset}" y="140">${escapeXml(cut(value, 14))}</text>` +
  `${chart === undefined ? "" : placed(chart)}` +
  `<path class="grid" d="M${inset} ${height - 56}H${width - inset}"/>` +
  `<text class="p-foot" x="${inset}" y="${height - 24}">${escapeXml(cut(foot, 104))}</text></svg>`
