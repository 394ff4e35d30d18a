/** Whom to credit for a value, and what its source allows. */
import type { Terms } from "../../../core/plugin/Manifest.ts"
import { type Html, html } from "./markup.ts"

const handingOn = {
  yes: "its values may be published again",
  no: "its values may not be published again",
  unknown: "ask the source before you publish its values again"
} as const

/** In one line, for files that leave the site; empty where nobody has read any terms. */
export const rightsText = (terms: Terms | undefined): string =>
  terms === undefined ? "" : `${terms.attribution.replace(/\.$/, "")}. Licence: ${terms.licence}.`

/** `read on 2026-09-01`; without a day that is after `now`, as the demo's clock stands earlier. */
export const placeOfTerms = ({ address, read }: Terms, now: number): Html | string => {
  const on = Date.parse(read) > now ? "" : ` on ${read}`
  if (address === undefined) return `none was readable${on}`
  return address.startsWith("https://")
    ? html`<a href="${address}" rel="noreferrer">read${on}</a>`
    : html`read${on} in <code>${address}</code>`
}

const rightsWords = (terms: Terms, now: number): Html =>
  html`${terms.attribution}; licence ${terms.licence}; ${handingOn[terms.bulk]} <span class="quiet">(${placeOfTerms(terms, now)})</span>`

/** A row of the facts about a metric. */
export const rightsRow = (terms: Terms | undefined, now: number): Html | false =>
  terms !== undefined && html`<dt>Rights</dt><dd>${rightsWords(terms, now)}</dd>`

/** Of a page with values of several sources: the rights of each, by its label. */
export const rightsSection = (bySource: ReadonlyMap<string, Terms>, now: number): Html | false =>
  bySource.size > 0 &&
  html`<section aria-labelledby="rights"><h2 id="rights">Rights</h2><dl class="facts rights">${[
    ...bySource
  ].map(
    ([source, terms]) => html`<dt><code>${source}</code></dt><dd>${rightsWords(terms, now)}</dd>`
  )}</dl></section>`
