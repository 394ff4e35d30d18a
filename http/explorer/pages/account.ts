/**
 * The account page. The key never reaches the server that makes this page: a script keeps it in the tab and calls the API
 * with it, so the page is the same for everybody.
 */
import { Effect } from "effect"
import { keyPattern, keyPrefixes } from "../../../core/credits/keys/keyForm.ts"
import { productKeys } from "../../../core/products/index.ts"
import { productPrices } from "../../../core/products/priceList.ts"
import { priceText } from "../html/buyForm.ts"
import { coversWords } from "../html/covers.ts"
import { html, raw } from "../html/markup.ts"
import { scriptJson } from "../html/scriptJson.ts"
import { respondPage } from "../html/shell.ts"
import { productTitle } from "./products.ts"

export const account = Effect.fn("explorer.account")(function* () {
  const { packs, sections, tiers, ways: here } = yield* productPrices
  const products = productKeys.flatMap((key) => {
    const section = sections[key]
    if (section?.status !== "available") return []
    const { content, covers, price_usd, ways } = section
    return [
      {
        key,
        content,
        ...(covers === undefined ? {} : { covers: coversWords(covers) }),
        price_usd,
        x402: ways.includes("x402")
      }
    ]
  })
  const plans = tiers.flatMap(({ price_usd, sku, tier }) =>
    sku === undefined ? [] : [{ sku, tier, price_usd }]
  )
  return yield* respondPage({
    title: "Account",
    description:
      "Balance, statement, purchases, keys and subscription of an API key, and how to buy with it.",
    path: "/account",
    script: "account",
    body: html`<h1>Account</h1>
<p class="lede">Your key stays in this tab: it is never part of an address, and closing the tab forgets it.</p>
<noscript><p>This page needs a script. Without one: <code>curl -H 'X-API-Key: …' /v1/credits/balance</code>, and <a href="/docs">the API documentation</a>.</p></noscript>
<div id="account" class="needs-script"><div class="columns"><section aria-labelledby="key-title"><h2 id="key-title">Your key</h2>
<form id="enter" class="stack"><label>API key<input name="key" type="password" autocomplete="off" spellcheck="false" required pattern="${keyPattern}" placeholder="${keyPrefixes.live}…"></label>
<div class="actions"><button type="submit">Open the account</button><button type="button" id="register">Get a free key</button></div></form>
<p id="said" role="status" class="readout"></p></section>
<section id="buying"><h2>Buy a product</h2>
<form id="buy" class="stack"><label>Product<select name="product">${products.map(
      ({ key, price_usd }) =>
        html`<option value="${key}">${productTitle(key)} · ${priceText(price_usd)}</option>`
    )}</select></label>
<p class="quiet" id="content"></p>
<div class="actions"><button type="submit" id="with-credits" disabled>Buy with credits</button><button type="button" id="with-wallet">Buy with a wallet</button></div>
<p class="quiet"><span id="needs-key">Credits are those of the key that this page has open. </span>${products.some(({ x402 }) => x402) && "A wallet pays this product alone, in USDC by x402, without an account. It signs one transfer of exactly this price."}</p></form>
<p id="bought" role="status" class="readout"></p></section></div>
<div id="shown" tabindex="-1" role="region" aria-label="Your account"></div>
</div>
<script type="application/json" id="offers">${raw(
      scriptJson(
        // Without cards there is nothing to subscribe to, and no pack to add.
        here.card.available ? { products, plans, packs: packs.card_usd } : { products, plans: [], packs: [] }
      )
    )}</script>`
  })
})
