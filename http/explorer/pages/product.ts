/** One product: its method, what it would deliver now, and how to buy it. */
import { Effect } from "effect"
import { Cards } from "../../../core/credits/card/Cards.ts"
import { oneShotSku } from "../../../core/credits/card/sku.ts"
import { Deposits } from "../../../core/credits/chain/Deposits.ts"
import { Purchases } from "../../../core/credits/Purchases.ts"
import { pricing, productKey } from "../../../core/credits/pricing.ts"
import { X402 } from "../../../core/credits/x402/X402.ts"
import type { ProductKey } from "../../../core/products/index.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { coversList } from "../html/covers.ts"
import { formatNumber, formatTime, metricTitle } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { orderForm } from "../html/orderForm.ts"
import { respondPage } from "../html/shell.ts"
import { type Excerpt, Excerpts } from "./excerpt.ts"
import { authorWords, priceOf, productPath, productTitle, stateOf } from "./products.ts"

const plainText = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.map(plainText).join(" ")
      : typeof value === "object" && value !== null
        ? Object.entries(value)
            .map(([name, one]) => `${name}: ${plainText(one)}`)
            .join("; ")
        : String(value)

const method = ({ methodology }: Excerpt): Html | false => {
  const entries = Object.entries(methodology)
  return (
    entries.length > 0 &&
    html`<dl class="facts method">${entries.map(([name, value]) => html`<dt>${metricTitle(name)}</dt><dd>${plainText(value)}</dd>`)}</dl>`
  )
}

const command = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`

interface Way {
  readonly title: string
  /** Why it is not possible now. */
  readonly off: string | undefined
  readonly body: Html
}

const way = ({ body, off, title }: Way): Html =>
  html`<section class="way" aria-label="${title}"><h3>${title}</h3>${off === undefined ? body : html`<p><span class="mark off">not now</span> ${off}</p>`}</section>`

const notCards = "This service takes no cards."

/** The smallest card pack that pays a price. */
const packFor = (price: number, packs: ReadonlyArray<number>): number | undefined =>
  packs.toSorted((a, b) => a - b).find((usd) => usd >= price)

const waysOf = Effect.fnUntraced(function* (key: ProductKey, price: number, perRequest: number | undefined) {
  const { baseUrl } = yield* HttpSettings
  const cards = yield* Cards
  const deposits = yield* (yield* Deposits).status
  const { packs } = pricing((yield* Purchases).built)
  const offers = yield* (yield* X402).list(baseUrl)
  const offer = offers.find((one) => one.key === key)
  const json = "-H 'Content-Type: application/json'"
  const keyed = "-H 'X-API-Key: <your key>'"
  const pack = packFor(price, packs.card_usd)
  const all: ReadonlyArray<Way> = [
    {
      title: "With credits",
      off: undefined,
      body: html`<p><a href="/account#${key}">Buy it on your account page</a>, or in a shell. A key is free. A purchase is delivered in the answer, and can be read again by its id.</p>${command(
        `curl -X POST '${baseUrl}/v1/credits/register' ${json} -d '{}'\ncurl -X POST '${baseUrl}/v1/credits/purchase' ${keyed} ${json} \\\n  -H "Idempotency-Key: $(uuidgen)" -d '{"product_key": "${key}"}'`
      )}`
    },
    {
      title: price <= packs.one_shot_usd ? "By card, without an account" : "Credits by card",
      off: cards.areTaken ? undefined : notCards,
      body:
        price <= packs.one_shot_usd
          ? html`<p>Pays for ${priceOf(packs.one_shot_usd)} of credits on a new key, which the page after the payment shows. The key then buys this product.</p>${orderForm("card", [{ sku: oneShotSku, title: `Pay ${priceOf(packs.one_shot_usd)}` }])}`
          : pack === undefined
            ? html`<p>The packs are ${packs.card_usd.map((usd) => `$${usd}`).join(" and ")}; several add up.</p>`
            : html`<p>Adds ${pack} credits to your key once the payment has arrived.</p>${command(
                `curl -X POST '${baseUrl}/v1/credits/topup' ${keyed} ${json} \\\n  -d '{"method": "stripe", "amount": ${pack}}'`
              )}`
    },
    {
      title: "Credits by stablecoin",
      off: deposits.enabled ? undefined : (deposits.reason ?? "Not configured on this service."),
      body: html`<p>USDC from a wallet that you have verified; a quote names the exact amount.</p>${command(
        `curl -X POST '${baseUrl}/v1/credits/crypto/challenge' ${keyed} ${json} -d '{"wallet": "0x…"}'\ncurl -X POST '${baseUrl}/v1/credits/crypto/verify' ${keyed} ${json} -d '{"nonce": "…", "signature": "0x…"}'\ncurl -X POST '${baseUrl}/v1/credits/topup' ${keyed} ${json} \\\n  -d '{"method": "usdc", "amount": ${Math.max(deposits.min_usd, Math.ceil(price))}, "from_address": "0x…"}'`
      )}`
    },
    ...(perRequest === undefined
      ? []
      : [
          {
            title: "Without an account, by x402",
            off:
              offer?.offer === undefined ? (offer?.reason ?? "Not configured on this service.") : undefined,
            body: html`<p><a href="/account#${key}">Pay with the wallet of this browser</a>, or with a client such as <code>@x402/fetch</code>: the first answer is a 402 with the offer, which it signs before it asks again.</p>${command(
              `curl -i '${baseUrl}/x402/v1/data/${key}'`
            )}`
          }
        ])
  ]
  // What can be used now comes first.
  return all.toSorted((a, b) => Number(a.off !== undefined) - Number(b.off !== undefined))
})

const coverage = ({ bytes, counts, generatedUtc }: Excerpt): Html =>
  html`<dl class="strip">${counts.map(([name, n]) => html`<div><dt>${metricTitle(name.replaceAll(" ", "_"))}</dt><dd>${formatNumber(n)}</dd></div>`)}<div><dt>Size</dt><dd>${formatNumber(Math.ceil(bytes / 1024))} <span class="unit">KiB</span></dd></div>${generatedUtc !== undefined && html`<div><dt>Data of</dt><dd>${generatedUtc.slice(11, 16)} <span class="unit">UTC</span><small>${formatTime(generatedUtc).split(",")[0]}</small></dd></div>`}</dl>`

export const product = Effect.fn("explorer.product")(function* (named: string) {
  const key = productKey(named)
  if (key === undefined) {
    return yield* new NotFound({ message: "There is no product of this name. /products lists them all." })
  }
  const { mode } = yield* HttpSettings
  const purchases = yield* Purchases
  const { sections } = pricing(purchases.built, yield* purchases.coverage)
  const section = sections[key]
  if (section === undefined) return yield* Effect.die(new Error(`no price of ${key}`))
  const excerpt = yield* orProblem((yield* Excerpts).of(key))
  const there = "text" in excerpt ? excerpt : undefined
  // What cannot be delivered now is not offered: its sale would be refused.
  const isOffered = section.status === "available" && there !== undefined
  const ways = isOffered ? yield* waysOf(key, section.price_usd, section.x402_usd) : []
  const author = authorWords(key, there?.author)
  const isSimulated = there?.simulated === true || mode === "replay"
  const title = productTitle(key)
  return yield* respondPage({
    title: `${title}, ${priceOf(section.price_usd)}`,
    description: `${section.content}. ${priceOf(section.price_usd)} once, with its method, today's coverage and an excerpt of what is delivered.`,
    path: productPath(key),
    script: "product",
    body: html`<p class="trail"><a href="/products">Products</a> / ${title}</p><div class="title"><h1>${title}</h1><code>${key}</code></div>
<p class="lede">${section.content}.</p>
<p><span class="value">${priceOf(section.price_usd)}</span> once · ${section.status === "available" && !isOffered ? html`<span class="mark off">not now</span>` : stateOf(section)}${section.note !== undefined && html` ${section.note}`}</p>
${ways.length > 0 && html`<div class="actions"><a class="button primary" href="/account#${key}">Buy it on your account page</a><a class="button" href="#buy">All ways to buy</a></div>`}
${author !== undefined && html`<p class="before-sale"><strong>Before you buy:</strong> ${author}</p>`}
<section aria-labelledby="now"><h2 id="now">What it holds today</h2>
${section.covers !== undefined && coversList(section.covers)}
${
  there === undefined
    ? html`<p>${"reason" in excerpt ? excerpt.reason : ""}</p>`
    : html`${coverage(there)}${isSimulated && html`<p><strong>Simulated:</strong> this service holds values that a demonstration made, and the excerpt shows them.</p>`}`
}</section>
${
  there !== undefined &&
  html`<div class="columns"><section aria-labelledby="excerpt"><h2 id="excerpt">Excerpt</h2><p class="quiet">The payload as it would be delivered, each list cut after its first member.</p><pre class="excerpt" tabindex="0" aria-label="Excerpt of the payload"><code>${there.text}</code></pre></section>
<section aria-labelledby="method"><h2 id="method">Method</h2>${method(there) || html`<p>The payload is the served data itself: nothing is computed from it.</p>`}
${
  section.inputs !== undefined &&
  html`<h3>Inputs</h3><dl class="facts">${Object.entries(section.inputs).map(([name, what]) => html`<dt><code>${name}</code></dt><dd>${what}</dd>`)}</dl>`
}<p class="quiet">The shape of the payload is in <a href="/openapi.json">OpenAPI</a>.</p></section></div>`
}
${ways.length > 0 && html`<section aria-labelledby="buy"><h2 id="buy">Ways to buy</h2><div class="ways">${ways.map(way)}</div></section>`}`
  })
})
