/** After a payment: waits until the payment has arrived, then shows what was bought, and the key. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Cards, type Session } from "../../../core/credits/card/Cards.ts"
import type { SessionKey } from "../../../core/wire/credits/card.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { priceText } from "../html/buyForm.ts"
import { type Html, html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"

/** What is shown, and whether it can still change. */
interface PurchaseNotice {
  readonly state: "waiting" | "done"
  readonly title: string
  readonly body: Html
}

const name = ({ title }: Session): string => title.replace(/^Plumbline:? /, "")

const waiting = (session: Session): PurchaseNotice => ({
  state: "waiting",
  title: "Waiting for your payment",
  body: html`<p class="lede">${name(session)}, ${priceText(session.amountUsd)}. The payment provider has not reported it yet; that usually takes a few seconds.</p>
<p class="later" hidden>This takes longer than usual. Nothing is lost: the payment and its order are kept, and a bank can take some minutes. Keep the address of this page; it shows the key for 24 hours after the payment has arrived. If nothing comes within an hour, ask the operator and give the number of the session, which is in the address.</p>
<p role="status" class="quiet" id="waiting"></p>
<noscript><p>Load this page again in a minute.</p></noscript>`
})

const bought = (session: Session, key: typeof SessionKey.Type, baseUrl: string): PurchaseNotice => ({
  state: "done",
  title: "Paid",
  body: html`<p class="lede">${name(session)}, ${priceText(session.amountUsd)}.</p>
<div class="checked"><h2>Your key</h2><p><code class="key">${key.api_key}</code></p>
<p><strong>Save it now.</strong> This page shows it for 24 hours after the payment, and nobody can show it again after that: only its hash is stored.</p></div>
<dl class="facts"><dt>Tier</dt><dd>${key.tier}</dd><dt>Credits</dt><dd>${key.credits_balance}</dd></dl>
<section aria-labelledby="use"><h2 id="use">Use it</h2><pre><code>curl '${baseUrl}/v1/credits/balance' -H 'X-API-Key: ${"<your key>"}'</code></pre>
<p>${session.kind === "subscription" ? html`The card is changed, or the subscription ended, at the address that <code>POST /v1/credits/portal</code> returns.` : html`<a href="/products">Products</a> that these credits buy.`}</p></section>`
})

const shownOf = Effect.fnUntraced(function* (id: string) {
  const cards = yield* Cards
  const { baseUrl } = yield* HttpSettings
  const session = id === "" ? undefined : yield* orProblem(cards.sessionOf(id))
  if (session === undefined) {
    return {
      state: "done",
      title: "No such payment",
      body: html`<p class="lede">This page opens after a payment, with the number of its session in the address. No order has this one.</p><p><a href="/products">Products and prices</a></p>`
    } satisfies PurchaseNotice
  }
  const { kind, state } = session
  if (state === "open") return waiting(session)
  if (state === "closed") {
    return {
      state: "done",
      title: "Not paid",
      body: html`<p class="lede">${name(session)}: the checkout ended without a payment. Nothing was charged.</p><p><a href="/products">Products and prices</a></p>`
    } satisfies PurchaseNotice
  }
  if (state === "held") {
    return {
      state: "done",
      title: "Your payment is being looked at",
      body: html`<p class="lede">${name(session)}: a payment arrived that does not match the order, so nothing was delivered yet. The operator sees it; give the number of the session when you ask.</p>`
    } satisfies PurchaseNotice
  }
  if (kind === "subscription" && session.toExistingKey) {
    return {
      state: "done",
      title: "Paid",
      body: html`<p class="lede">${name(session)}, ${priceText(session.amountUsd)}: every key of the account that ordered it has its tier from now on.</p><p><a href="/account">Your account</a></p>`
    } satisfies PurchaseNotice
  }
  if (kind === "topup") {
    return {
      state: "done",
      title: "Paid",
      body: html`<p class="lede">${name(session)}: added to the key that requested the payment.</p><pre><code>curl '${baseUrl}/v1/credits/balance' -H 'X-API-Key: ${"<your key>"}'</code></pre><p><a href="/products">Products</a> that these credits buy.</p>`
    } satisfies PurchaseNotice
  }
  return yield* cards.keyOf(id, kind).pipe(
    Effect.map((key) => bought(session, key, baseUrl)),
    Effect.catchTags({
      SessionUnknown: () => Effect.succeed(waiting(session)),
      SessionOver: ({ message }) =>
        Effect.succeed<PurchaseNotice>({
          state: "done",
          title: "Paid",
          body: html`<p class="lede">${name(session)}, ${priceText(session.amountUsd)}.</p><p>${message}</p>`
        })
    }),
    orProblem
  )
})

export const paid = Effect.fn("explorer.paid")(function* (id: string | undefined) {
  const { body, state, title } = yield* shownOf(id ?? "")
  const response = yield* respondPage({
    title,
    description: "What was bought, once the payment has arrived.",
    path: "",
    head: html`<meta name="robots" content="noindex">`,
    script: "paid",
    body: html`<div id="paid" data-state="${state}"><h1>${title}</h1>${body}</div>`
  })
  return HttpServerResponse.setHeaders(response, { "cache-control": "private, no-store" })
})
