/** An order by card from a form: the checkout is at the payment provider, and this page leads there. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Cards } from "../../../core/credits/card/Cards.ts"
import type { OrderRequest } from "../../../core/wire/credits/card.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { networkOfRequest } from "../../request/origin.ts"
import { priceText } from "../html/buyForm.ts"
import { html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"
import { hostOf } from "../html/values.ts"

export const order = Effect.fn("explorer.order")(function* (orderRequest: typeof OrderRequest.Type) {
  const { baseUrl, trustProxy } = yield* HttpSettings
  const { source } = yield* HttpServerRequest.HttpServerRequest
  const cards = yield* Cards
  const { checkout_url, price_usd } = yield* orProblem(
    cards.order(orderRequest, networkOfRequest(source, trustProxy), baseUrl)
  )
  const response = yield* respondPage({
    title: "To the checkout",
    description: "The order is placed; the checkout is next.",
    path: "",
    // A form may only be sent to this site, so the browser goes on from here.
    head: html`<meta name="robots" content="noindex"><meta http-equiv="refresh" content="0; url=${checkout_url}">`,
    script: "page",
    body: html`<h1>To the checkout</h1>
<p class="lede">Your order of ${priceText(price_usd)} is placed. You pay at ${hostOf(checkout_url)}, and then come back here.</p>
<p><a class="button primary" href="${checkout_url}" rel="noreferrer">Go to the checkout</a></p>
<p class="quiet">Nothing is charged before you confirm it there.</p>`
  })
  return HttpServerResponse.setHeaders(response, { "cache-control": "private, no-store" })
})
