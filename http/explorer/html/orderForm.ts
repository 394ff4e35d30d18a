/** The form that orders with a card: it leads to the checkout, without an account and without a script. */
import { type Html, html } from "./markup.ts"

export interface Choice {
  readonly sku: string
  /** What it is and what it costs. */
  readonly title: string
}

/** The path that takes the form. */
export const orderPath = "/buy/order"

/** `id` is unique on the page. */
export const orderForm = (
  id: string,
  [first, ...others]: readonly [Choice, ...ReadonlyArray<Choice>]
): Html =>
  html`<form class="stack" action="${orderPath}" method="post">
${
  others.length === 0
    ? html`<input type="hidden" name="sku" value="${first.sku}">`
    : html`<label for="${id}-sku">What<select id="${id}-sku" name="sku">${[first, ...others].map(({ sku, title }) => html`<option value="${sku}">${title}</option>`)}</select></label>`
}
<label for="${id}-email">E-mail, for the receipt<input id="${id}-email" name="email" type="email" required maxlength="254" autocomplete="email"></label>
<button type="submit" class="primary">${others.length === 0 ? first.title : "Go to the checkout"}</button></form>`
