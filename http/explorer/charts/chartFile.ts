/** A chart as a file of its own: with its heading, its source, and the colours of the light theme in place. */
import { readFileSync } from "node:fs"
import { fileFace } from "./fileFace.ts"
import { cut, wrap } from "./fit.ts"
import { defaultWidth, type LineChart, lineChart } from "./lineChart.ts"
import { escapeXml } from "./xml.ts"

const read = (name: string): string => readFileSync(new URL(`../styles/${name}`, import.meta.url), "utf8")

/** The light values of the tokens: the first rule of their file. */
const tokens = new Map(
  [...(read("tokens.css").split("}")[0] ?? "").matchAll(/--([\w-]+):\s*([^;]+);/g)].map(
    ([, name = "", value = ""]) => [name, value]
  )
)

/** The style with every `var(...)` replaced: programs that draw SVG know no variables. */
export const fileStyle = read("chart.css")
  .replace(/\/\*[\s\S]*?\*\//g, "")
  .replace(/var\(--([\w-]+)\)/g, (_, name: string) =>
    name === "sans" ? `"${fileFace}", sans-serif` : (tokens.get(name) ?? "")
  )
  // The face of this weight names itself as a family of its own, and programs that draw SVG look for that name.
  .replace(
    /font-weight: 600/g,
    `font-family: "${fileFace} SemiBold", "${fileFace}", sans-serif; font-weight: 600`
  )
  .replace(/\s*\n\s*/g, "\n")
  .trim()

const head = 58
const foot = 34
/** One more line. */
const line = 18

/** A drawing of a file, as the SVG of a page. */
interface Drawn {
  readonly svg: string
  readonly width: number
  readonly height: number
}

/** Room beside the text, and what a character takes at most of it on average: see `digitWidth` of `valueAxis.ts`. */
const inset = 12
const headingCharacter = 10.2
const sourceCharacter = 7.2

/** Drawings below each other, with a heading and, so that they stay with the picture, the lines that say where it is from. */
export const drawingsFile = (
  drawings: ReadonlyArray<Drawn>,
  { heading, lines }: { readonly heading: string; readonly lines: ReadonlyArray<string> }
): string => {
  const width = Math.max(...drawings.map((drawn) => drawn.width))
  const room = width - 2 * inset
  const below = lines.flatMap((text) => wrap(text, Math.floor(room / sourceCharacter)))
  const end = drawings.reduce((sum, { height }) => sum + height, head)
  const whole = end + foot + (below.length - 1) * line
  let y = head
  const inner = drawings.map((drawn) => {
    const place = y
    y += drawn.height
    return drawn.svg.replace(
      /^<svg [^>]*>/,
      `<svg class="chart" x="0" y="${place}" width="${drawn.width}" height="${drawn.height}" viewBox="0 0 ${drawn.width} ${drawn.height}">`
    )
  })
  return (
    `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${whole}" width="${width}" height="${whole}" role="img">` +
    `<style>${fileStyle}</style><rect class="ground" width="${width}" height="${whole}"/>` +
    `<text class="heading" x="${inset}" y="34">${escapeXml(cut(heading, Math.floor(room / headingCharacter)))}</text>${inner.join("")}` +
    below
      .map(
        (text, n) =>
          `<text class="source" x="${inset}" y="${end + foot - 14 + n * line}">${escapeXml(text)}</text>`
      )
      .join("") +
    "</svg>\n"
  )
}

export const chartFile = (
  chart: LineChart,
  {
    heading,
    proof,
    rights = "",
    source
  }: {
    readonly heading: string
    readonly source: string
    /** Whom to credit, and the licence. */
    readonly rights?: string
    readonly proof?: string | undefined
  }
): string => {
  const { height = 300, width = defaultWidth } = chart
  return drawingsFile([{ svg: lineChart({ ...chart, width, height }), width, height }], {
    heading,
    lines: [source, rights, proof ?? ""].filter((text) => text !== "")
  })
}
