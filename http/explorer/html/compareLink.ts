/** The way from a row to a comparison. */

import { type Html, html } from "./markup.ts"
import { queryText } from "./queryText.ts"

/**
 * Without a script the link begins a comparison; a script makes it add to the one that this tab had last
 * (`client/parts/comparison.ts`). `name` is said where links are listed without their row.
 */
export const compareLink = (symbol: string, metric: string, name: string): Html => {
  const target = `${symbol}/${metric}`
  return html`<a class="add" href="/compare?${queryText([["a", target]])}" data-add="${target}">compare<span class="visually-hidden"> ${name}</span></a>`
}
