/** One product: its method, what it would deliver now, and how to buy it. */

import { Effect } from "effect"
import { productKey } from "../../../core/credits/pricing.ts"
import { productPrices } from "../../../core/products/priceList.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { priceText } from "../html/buyForm.ts"
import { coded } from "../html/coded.ts"
import { coversList } from "../html/covers.ts"
import { formatNumber, formatTime, metricTitle } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"
import { type Excerpt, Excerpts } from "./excerpt.ts"
import { authorWords, productPath, productTitle, stateOf } from "./products.ts"
import { productWays } from "./productWays.ts"

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
    html`<dl class="facts method">${entries.map(([name, value]) => html`<dt>${metricTitle(name)}</dt><dd>${coded(plainText(value))}</dd>`)}</dl>`
  )
}

const coverage = ({ bytes, counts, generatedUtc }: Excerpt): Html =>
  html`<dl class="strip">${counts.map(([name, n]) => html`<div><dt>${metricTitle(name.replaceAll(" ", "_"))}</dt><dd>${formatNumber(n)}</dd></div>`)}<div><dt>Size</dt><dd>${formatNumber(Math.ceil(bytes / 1024))} <span class="unit">KiB</span></dd></div>${generatedUtc !== undefined && html`<div><dt>Data of</dt><dd>${generatedUtc.slice(11, 16)} <span class="unit">UTC</span><small>${formatTime(generatedUtc).split(",")[0]}</small></dd></div>`}</dl>`

export const product = Effect.fn("explorer.product")(function* (named: string) {
  const key = productKey(named)
  if (key === undefined) {
    return yield* new NotFound({ message: "There is no product of this name. /products lists them all." })
  }
  const { mode } = yield* HttpSettings
  const prices = yield* productPrices
  const section = prices.sections[key]
  if (section === undefined) return yield* Effect.die(new Error(`no price of ${key}`))
  const excerpt = yield* orProblem((yield* Excerpts).of(key))
  const there = "text" in excerpt ? excerpt : undefined
  // What cannot be delivered now is not offered: its sale would be refused.
  const isOffered = section.buyers.length > 0 && there !== undefined
  const ways = isOffered && (yield* productWays(key, section, prices))
  const author = authorWords(key, there?.author)
  const isSimulated = there?.simulated === true || mode === "replay"
  const title = productTitle(key)
  return yield* respondPage({
    title: `${title}, ${priceText(section.price_usd)}`,
    description: `${section.content}. ${priceText(section.price_usd)} once, with its method, today's coverage and an excerpt of what is delivered.`,
    path: productPath(key),
    script: "product",
    body: html`<p class="trail"><a href="/products">Products</a> / ${title}</p><div class="title"><h1>${title}</h1><code>${key}</code></div>
<p class="lede">${coded(section.content)}.</p>
<p><span class="value">${priceText(section.price_usd)}</span> once · ${section.buyers.length > 0 && !isOffered ? html`<span class="mark off">not now</span>` : stateOf(section)}</p>${section.note !== undefined && html`<p class="quiet">${section.note}</p>`}
${isOffered && html`<div class="actions"><a class="button primary" href="#buy">Buy for ${priceText(section.price_usd)}</a></div>`}
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
${ways}`
  })
})
