/** The star that puts something on the watchlist of a browser. */
import { type Html, html, raw } from "./markup.ts"
import { type Watched, watchedText } from "./watch.ts"

const shape = raw(
  '<svg viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="M8 1.600l2 4.200 4.600.600-3.400 3.200.900 4.600L8 12l-4.100 2.200.900-4.600-3.400-3.200 4.600-.600z"/></svg>'
)

/** The star on the page of what it marks. */
export const starButton = (of: Watched, name: string): Html =>
  html`<button type="button" class="star needs-script" aria-pressed="false" data-watch="${watchedText(of)}">${shape}Watch<span class="visually-hidden"> ${name}</span></button>`

/** The star in a row, whose words only those who hear it need. */
export const rowStar = (of: Watched, name: string): Html =>
  html`<button type="button" class="star row needs-script" aria-pressed="false" data-watch="${watchedText(of)}" title="Watch ${name}">${shape}<span class="visually-hidden">Watch ${name}</span></button>`
