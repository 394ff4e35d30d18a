/**
 * A map of the countries as SVG, shaded by quantiles, with a dot where a place is smaller than the scale. It holds no text: the table
 * below it says every value. The outlines are made by `npm run map`.
 */
import world from "../map/outlines.json" with { type: "json" }
import { escapeXml } from "./xml.ts"

const outlines: Readonly<Record<string, string>> = world.outlines
const dots: Readonly<Record<string, ReadonlyArray<number>>> = world.dots

export const mapSize = { width: world.width, height: world.height } as const

/** Steps of the shade. */
const steps = 5

/** By ISO 3166-1 letters. */
export type ByCountry = ReadonlyMap<string, number>

export interface WorldMap {
  readonly id: string
  readonly title: string
  /** What it says, in a sentence. */
  readonly summary: string
  readonly values: ByCountry
  /** Countries of which something else counts now than this map has: they get a dotted outline. */
  readonly ghosts?: ReadonlyArray<string>
}

/** The upper bound of each step: as many countries are in each, as far as their values differ. */
export const boundsOf = (values: ByCountry): ReadonlyArray<number> => {
  const sorted = [...values.values()].filter((value) => value > 0).toSorted((a, b) => a - b)
  const bounds = Array.from(
    { length: steps },
    (_, n) => sorted[Math.ceil(((n + 1) / steps) * sorted.length) - 1] ?? 0
  )
  return [...new Set(bounds)].filter((bound) => bound > 0)
}

/** The shade of a value, from 1 for the least to `steps` for the most. */
export const shadeOf = (value: number, bounds: ReadonlyArray<number>): number => {
  const at = bounds.findIndex((bound) => value <= bound)
  const place = at < 0 ? bounds.length - 1 : at
  return bounds.length <= 1 ? steps : 1 + Math.round((place / (bounds.length - 1)) * (steps - 1))
}

const ghost = (code: string): string => {
  const [outline, dot] = [outlines[code], dots[code]]
  return `${outline === undefined ? "" : `<path class="ghost-place" d="${outline}"/>`}${dot === undefined ? "" : `<circle class="ghost-place" cx="${dot[0]}" cy="${dot[1]}" r="11"/>`}`
}

/** Letters that have a place on the map. */
export const isDrawn = (code: string): boolean => Object.hasOwn(outlines, code) || Object.hasOwn(dots, code)

export const worldMap = ({ ghosts = [], id, summary, title, values }: WorldMap): string => {
  const bounds = boundsOf(values)
  const shades = Map.groupBy(
    [...values].filter(([code, value]) => value > 0 && isDrawn(code)),
    ([, value]) => shadeOf(value, bounds)
  )
  const shaded = new Set([...values].flatMap(([code, value]) => (value > 0 ? [code] : [])))
  const others = Object.entries(outlines)
    .filter(([code]) => !shaded.has(code))
    .map(([, path]) => path)
  return [
    `<svg class="map" viewBox="0 0 ${world.width} ${world.height}" role="img" aria-labelledby="${id}-t" aria-describedby="${id}-d" xmlns="http://www.w3.org/2000/svg">`,
    `<title id="${id}-t">${escapeXml(title)}</title><desc id="${id}-d">${escapeXml(summary)}</desc>`,
    `<path class="land" d="${others.join("")}${world.rest}"/>`,
    ...[...shades]
      .toSorted(([a], [b]) => a - b)
      .map(
        ([shade, of]) =>
          `<path class="shade-${shade}" d="${of.map(([code]) => outlines[code] ?? "").join("")}"/>${of
            .flatMap(([code]) => {
              const dot = dots[code]
              return dot === undefined
                ? []
                : [`<circle class="shade-${shade}" cx="${dot[0]}" cy="${dot[1]}" r="9"/>`]
            })
            .join("")}`
      ),
    ...ghosts.map(ghost),
    "</svg>"
  ].join("")
}
