/** What a chart cannot say of itself, because nobody expects keys of an image: for who moves by the keyboard. */
import { html } from "./markup.ts"

export const chartKeys = html`<p class="visually-hidden needs-script">A chart takes the keyboard: the arrow keys go from day to day, and say the value of each.</p>`
