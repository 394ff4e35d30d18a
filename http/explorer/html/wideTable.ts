/**
 * A table that may be wider than the window. It scrolls by itself, so that the page never does; the style shades the edge
 * behind which there is more (`styles/tables.css`), and a keyboard can scroll it.
 */
import { type Html, html } from "./markup.ts"

/** `label` says what is scrolled, for those who come to it by keyboard. */
export const wideTable = (label: string, table: Html): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${table}</div>`
