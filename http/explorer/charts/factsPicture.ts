/** A few figures in a picture, each under what it is of. */
import { cut } from "./fit.ts"
import { chartSize } from "./picture.ts"
import { at, escapeXml } from "./xml.ts"

export interface Fact {
  readonly name: string
  readonly text: string
}

const columns = 2
const rows = 5
const width = chartSize.width / columns
const height = chartSize.height / rows

/** As the chart of a `Picture`; undefined without any. */
export const factsPicture = (facts: ReadonlyArray<Fact>): string | undefined =>
  facts.length === 0
    ? undefined
    : `<svg class="chart" viewBox="0 0 ${chartSize.width} ${chartSize.height}">${facts
        .slice(0, columns * rows)
        .map(({ name, text }, n) => {
          const x = 12 + Math.floor(n / rows) * width
          const y = (n % rows) * height
          return `<text class="bar-note" x="${at(x)}" y="${at(y + 16)}">${escapeXml(cut(name, 54))}</text><text class="heading" x="${at(x)}" y="${at(y + 38)}">${escapeXml(cut(text, 36))}</text>`
        })
        .join("")}</svg>`
