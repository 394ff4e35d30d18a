/** Whom to credit for a value, and what its source allows. */
import type { Terms } from "../../../core/plugin/Manifest.ts"
import { type Html, html } from "./markup.ts"

const permissions = {
  yes: "its values may be published again",
  no: "its values may not be published again",
  unknown: "whether its values may be published again is not known: ask the source"
} as const

/** In one line, for files that leave the site; empty where nobody has read any terms. */
export const rightsText = (terms: Terms | undefined): string =>
  terms === undefined ? "" : `${terms.attribution.replace(/\.$/, "")}. Licence: ${terms.licence}.`

const place = ({ address, read }: Terms): Html | string =>
  address === undefined
    ? `none was readable on ${read}`
    : address.startsWith("https://")
      ? html`<a href="${address}" rel="noreferrer">read on ${read}</a>`
      : html`read on ${read} in <code>${address}</code>`

/** A row of the facts about a metric. */
export const rightsRow = (terms: Terms | undefined): Html | false =>
  terms !== undefined &&
  html`<dt>Rights</dt><dd>${terms.attribution}; licence ${terms.licence}, ${permissions[terms.values]} (${place(terms)})</dd>`
