/** The rung of evidence that a figure stands on, in words and a colour. */
import { type Rung, rungMeanings } from "../../../core/plugin/flows.ts"
import { formatNumber } from "./format.ts"
import { type Html, html } from "./markup.ts"

export const rungWords: Readonly<Record<Rung, string>> = {
  chain_proved: "proved by the chain",
  chain_read: "read from the chain",
  chain_indexed: "from an index of the chain",
  stated: "stated by the network",
  aggregated: "from an aggregator"
}

/** How far another source of a figure lies from it. */
export const apart = (percent: number): string =>
  percent === 0
    ? "the same"
    : `${formatNumber(Number(Math.abs(percent).toPrecision(2)))} % ${percent > 0 ? "more" : "less"}`

export const rungMark = (rung: Rung): Html =>
  html`<span class="rung ${rung.replace("_", "-")}" title="${rungMeanings[rung]}">${rungWords[rung]}</span>`
