/** Lamps in a picture: a full circle is lit, a ring is not, and beside each what was checked. */
import { type Lamp, lampName } from "../html/lamps.ts"
import { cut } from "./fit.ts"
import { chartSize } from "./picture.ts"
import { at, escapeXml } from "./xml.ts"

const row = chartSize.height / 6

/** As the chart of a `Picture`. */
export const lampsPicture = (lamps: ReadonlyArray<Lamp>): string =>
  `<svg class="chart" viewBox="0 0 ${chartSize.width} ${chartSize.height}">${lamps
    .map((lamp, n) => {
      const y = row * (n + 0.5)
      const form = lamp.state === "lit" ? 'class="bob"' : 'class="axis"'
      return `<circle ${form} cx="22" cy="${at(y)}" r="8"/><text class="heading" x="44" y="${at(y + 6)}">${escapeXml(lampName(lamp))}</text><text class="bar-name" x="220" y="${at(y + 6)}">${escapeXml(cut(lamp.says, 88))}</text>`
    })
    .join("")}</svg>`
