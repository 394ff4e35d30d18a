/** The choice of an axis, as links: the address of the page keeps it. */
import type { AxisChoice } from "../charts/valueAxis.ts"
import { type Html, html, raw } from "./markup.ts"

const words: Readonly<Record<AxisChoice, string>> = { zero: "from 0", log: "logarithmic" }

/** Nothing where there is no choice. */
export const axisLinks = (
  choices: ReadonlyArray<AxisChoice>,
  chosen: AxisChoice | undefined,
  addressOf: (axis: AxisChoice | undefined) => string
): Html | false =>
  choices.length > 0 &&
  html`<nav class="axes" aria-label="Axis of the values">${[undefined, ...choices].map(
    (one) =>
      html`<a href="${addressOf(one)}"${one === chosen && raw(' aria-current="true"')}>${one === undefined ? "fitted" : words[one]}</a>`
  )}</nav>`
