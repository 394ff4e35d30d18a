/**
 * The forms that buy with credits, without a script: the first one names the product and the key, and nothing is charged by
 * it; the page that answers it says the price, the balance and what is delivered, and has the one that pays.
 */
import { keyPrefixes } from "../../../core/credits/keys/keyForm.ts"
import { type Html, html } from "./markup.ts"

/** Where a purchase is looked at, made, and saved as a file. */
export const buyPaths = {
  review: "/buy/credits",
  pay: "/buy/credits/pay",
  file: "/buy/credits/file"
} as const

export const priceText = (usd: number): string => `$${usd.toFixed(2)}`

/** A form's value that nobody sees. */
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

interface ToReview {
  readonly key: string
  readonly priceUsd: number
  /** The product's inputs, with their values in words. */
  readonly inputs: Readonly<Record<string, string>>
}

/** Leads to the page that says what would be bought. */
export const reviewForm = ({ inputs, key, priceUsd }: ToReview): Html =>
  html`<form class="stack" action="/buy/credits" method="post">${hidden("product_key", key)}
<label for="buy-key">API key<input id="buy-key" name="api_key" type="password" autocomplete="off" spellcheck="false" required maxlength="200" placeholder="${keyPrefixes.live}…"></label>
${
  Object.keys(inputs).length > 0 &&
  html`<details><summary>Inputs, all optional</summary>${Object.entries(inputs).map(
    ([name, what]) =>
      html`<label for="buy-${name}">${name}<input id="buy-${name}" name="${name}" maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="buy-${name}-what"></label><p class="quiet" id="buy-${name}-what">${what}.</p>`
  )}</details>`
}
<button type="submit" class="primary">Buy for ${priceText(priceUsd)} of credits</button></form>
<p class="quiet">The next page says your balance and what you get, and asks once more before anything is charged.</p>`
