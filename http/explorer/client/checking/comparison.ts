/** What a page shows beside what is signed: the parts that every kind of page has. */
import type { Unit } from "../../../../core/plugin/Value.ts"
import type { Check } from "../../../../core/proof/check.ts"
import { formatValue } from "../../html/format.ts"
import type { Html } from "../../html/markup.ts"
import { templateOf } from "../parts/trusted.ts"

export interface Difference {
  readonly where: string
  readonly displayed: string
  readonly signed: string
}

export interface Comparison {
  readonly checks: ReadonlyArray<Check>
  readonly mismatches: ReadonlyArray<Difference>
  /** What was compared, as in "31 values and the chart". */
  readonly what: string
  /** True if the signed data changed after the page was made: a difference may be that change. */
  readonly isNewer: boolean
}

/** Compares a page as it was served with the signed data behind it. */
export type Compare = (page: Document) => Promise<Comparison>

/** A text without the spaces that only lay it out. */
export const flat = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim()

/** When the page was made, ISO 8601. */
export const renderTimeOf = (page: Document): string =>
  page.querySelector(".foot time")?.getAttribute("datetime") ?? ""

export const isAfter = (changed: string, page: Document): boolean =>
  Date.parse(changed) > Date.parse(renderTimeOf(page))

export interface SignedValue {
  readonly value: number
  readonly value_text?: string | undefined
}

export const textOf = ({ value }: SignedValue, unit: Unit): string => {
  const formatted = formatValue(value, unit)
  return flat(`${formatted.before}${formatted.number} ${formatted.unit}`)
}

/** Both what is seen and what a program reads from the markup. */
export const compareValue = (
  where: string,
  place: Element | null,
  signed: SignedValue,
  unit: Unit
): ReadonlyArray<Difference> => {
  const displayed = flat(place?.textContent)
  if (displayed !== textOf(signed, unit)) return [{ where, displayed, signed: textOf(signed, unit) }]
  const exact = place?.querySelector("data")?.getAttribute("value") ?? "no value"
  const isExact = signed.value_text ?? String(signed.value)
  return exact === isExact ? [] : [{ where: `${where} (exactly)`, displayed: exact, signed: isExact }]
}

export const compareText = (
  where: string,
  displayed: string | null | undefined,
  signed: string
): ReadonlyArray<Difference> =>
  flat(displayed) === flat(signed) ? [] : [{ where, displayed: flat(displayed) || "nothing", signed }]

/** The same markup as a browser writes it back. */
const normal = (markup: string): string => templateOf(markup).innerHTML

/** A drawing is the text that the same code draws from the signed values. */
export const compareDrawing = (
  where: string,
  place: Element | null,
  drawn: string
): ReadonlyArray<Difference> =>
  place !== null && normal(drawn) === place.innerHTML
    ? []
    : [
        {
          where,
          displayed: place === null ? "no line" : "another line",
          signed: "the line through the signed values"
        }
      ]

/** Markup that the server made of signed data is made again of the signed answer. */
export const compareMarkup = (
  where: string,
  place: Element | null,
  rendered: Html | string
): ReadonlyArray<Difference> => {
  const markup = normal(String(rendered))
  if (place?.innerHTML === markup) return []
  const signed = templateOf(markup)
  const [displayed, text] = [flat(place?.textContent), flat(signed.content.textContent)]
  // What a link leads to is no text.
  return [
    {
      where,
      displayed: displayed || "nothing",
      signed: displayed === text ? `${text} (with other links)` : text
    }
  ]
}
