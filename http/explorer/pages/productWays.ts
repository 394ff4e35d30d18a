/** How one product is paid here: each way with its button or command, or why it is not open now. */
import { Effect } from "effect"
import { oneShotSku } from "../../../core/credits/card/sku.ts"
import { leastQuote } from "../../../core/credits/chain/bounds.ts"
import { toNumber } from "../../../core/credits/Money.ts"
import type { Prices } from "../../../core/credits/pricing.ts"
import { pathOf } from "../../../core/credits/x402/offer.ts"
import type { ProductKey } from "../../../core/products/index.ts"
import type { Section, WayToPay } from "../../../core/wire/credits/pricing.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { priceText, reviewForm } from "../html/buyForm.ts"
import { type Html, html } from "../html/markup.ts"
import { orderForm } from "../html/orderForm.ts"

interface Way {
  readonly title: string
  /** Why it is not possible now. */
  readonly off: string | undefined
  readonly body: Html
}

const command = (text: string): Html => html`<pre tabindex="0"><code>${text}</code></pre>`

const wayPart = ({ body, off, title }: Way): Html =>
  html`<section class="way" aria-label="${title}"><h3>${title}</h3>${off === undefined ? body : html`<p><span class="mark off">not now</span> ${off}</p>`}</section>`

/** The smallest card pack that pays a price. */
const packFor = (price: number, packs: ReadonlyArray<number>): number | undefined =>
  packs.toSorted((a, b) => a - b).find((usd) => usd >= price)

const json = "-H 'Content-Type: application/json'"
const keyed = "-H 'X-API-Key: <your key>'"

/** By card: a new key with the credits, or a pack for a key that there is. */
const byCard = (key: ProductKey, price: number, { packs, ways }: Prices, baseUrl: string): Way => {
  const off = ways.card.available ? undefined : ways.card.reason
  if (price <= packs.one_shot_usd) {
    const pays = priceText(packs.one_shot_usd)
    return {
      title: "By card, without an account",
      off,
      body: html`<p>Pays for ${pays} of credits on a new key, which the page after the payment shows. The key then buys this product.</p>${orderForm("card", [{ sku: oneShotSku, title: `Pay ${pays}` }])}`
    }
  }
  const pack = packFor(price, packs.card_usd)
  return {
    title: "Credits by card",
    off,
    body:
      pack === undefined
        ? html`<p>The packs are ${packs.card_usd.map((usd) => `$${usd}`).join(" and ")}; several add up.</p>`
        : html`<p>Adds ${pack} credits to your key once the payment has arrived: on <a href="/account#${key}">your account page</a>, or in a shell.</p>${command(
            `curl -X POST '${baseUrl}/v1/credits/topup' ${keyed} ${json} \\\n  -d '{"method": "stripe", "amount": ${pack}}'`
          )}`
  }
}

/** The ways of a product that can be delivered, what is open first. */
export const productWays = Effect.fnUntraced(function* (
  key: ProductKey,
  { buyers, inputs = {}, price_usd: price, x402_usd }: typeof Section.Type,
  prices: Prices
) {
  const { baseUrl } = yield* HttpSettings
  const { ways } = prices
  const reasonOf = (way: WayToPay) => (ways[way].available ? undefined : ways[way].reason)
  const all: ReadonlyArray<Way> = [
    {
      title: `With credits of a key, ${priceText(price)}`,
      off: buyers.includes("key")
        ? reasonOf("credits")
        : "A new key holds less than that, and nothing here adds credits to it.",
      body: html`${reviewForm({ key, priceUsd: price, inputs })}<p><a href="/account#${key}">Get a free key, or buy on your account page</a>. In a shell:</p>${command(
        `curl -X POST '${baseUrl}/v1/credits/purchase' ${keyed} ${json} \\\n  -H "Idempotency-Key: $(uuidgen)" -d '{"product_key": "${key}", "max_price_usd": ${price}}'`
      )}`
    },
    byCard(key, price, prices, baseUrl),
    {
      title: "Credits by stablecoin",
      off: reasonOf("stablecoin"),
      body: html`<p>USDC from a wallet that you have verified; a quote names the exact amount.</p>${command(
        `curl -X POST '${baseUrl}/v1/credits/crypto/challenge' ${keyed} ${json} -d '{"wallet": "0x…"}'\ncurl -X POST '${baseUrl}/v1/credits/crypto/verify' ${keyed} ${json} -d '{"nonce": "…", "signature": "0x…"}'\ncurl -X POST '${baseUrl}/v1/credits/topup' ${keyed} ${json} \\\n  -d '{"method": "usdc", "amount": ${Math.max(toNumber(leastQuote), Math.ceil(price))}, "from_address": "0x…"}'`
      )}`
    },
    ...(x402_usd === undefined
      ? []
      : [
          {
            title: `Without an account, by x402 or MPP, ${priceText(x402_usd)}`,
            off: reasonOf("x402"),
            body: html`<p><a class="button" href="/account#${key}">Pay ${priceText(x402_usd)} with the wallet of this browser</a></p><p>Or with a client such as <code>@x402/fetch</code>: the first answer is a 402 with the offer, which it signs before it asks again.</p>${command(
              `curl -i '${baseUrl}${pathOf(key)}'`
            )}`
          }
        ])
  ]
  const inOrder = all.toSorted((a, b) => Number(a.off !== undefined) - Number(b.off !== undefined))
  return html`<section aria-labelledby="buy"><h2 id="buy">Ways to buy</h2><div class="ways">${inOrder.map(wayPart)}</div></section>`
})
