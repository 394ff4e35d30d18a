/** What can be bought: every product with its price, and the tiers side by side. */
import { Effect } from "effect"
import { skus } from "../../../core/credits/card/sku.ts"
import { LimitSettings } from "../../../core/credits/Limits.ts"
import { toNumber } from "../../../core/credits/Money.ts"
import { openWords, soldWords } from "../../../core/credits/openData.ts"
import { includesOf, tiers } from "../../../core/credits/tiers.ts"
import { type ProductKey, productKeys, productOf } from "../../../core/products/index.ts"
import { productPrices } from "../../../core/products/priceList.ts"
import { reach } from "../../../core/products/subscriptionCoverage.ts"
import { SampleSizes } from "../../../core/readings/read/Access.ts"
import { namedInFull } from "../../../core/readings/read/selection.ts"
import type { Buyer, Pricing, Section, WaysHere } from "../../../core/wire/credits/pricing.ts"
import { AccountTier, type Capability } from "../../../core/wire/credits/tiers.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { priceText } from "../html/buyForm.ts"
import { coded } from "../html/coded.ts"
import { coversWords, reachStrip } from "../html/covers.ts"
import { formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { orderForm } from "../html/orderForm.ts"
import { respondPage } from "../html/shell.ts"
import { addingWords, payingWords } from "../html/ways.ts"
import { wideTable } from "../html/wideTable.ts"
import { Excerpts } from "./excerpt.ts"

export const productPath = (key: string): string => `/products/${key}`

/** A product's name. */
export const productTitle = (key: ProductKey): string => productOf(key).title

const states: Readonly<
  Record<(typeof Section.Type)["status"], { readonly text: string; readonly mark: string }>
> = {
  available: { text: "available", mark: "ok" },
  not_built: { text: "not available", mark: "off" },
  nothing_to_deliver: { text: "not now", mark: "off" },
  withdrawn: { text: "withdrawn", mark: "off" }
}

const buyerWords: Readonly<Record<Buyer, string>> = {
  keyless: "with a free key",
  key: "with credits of a key",
  wallet: "from a wallet"
}

/** Whether somebody who has only this page can buy it, and who else can. */
export const stateOf = ({ buyers, status }: typeof Section.Type): Html => {
  if (status !== "available") {
    return html`<span class="mark ${states[status].mark}">${states[status].text}</span>`
  }
  return buyers.length === 0
    ? html`<span class="mark off">not for sale here</span><span class="sub">no way to pay reaches its price</span>`
    : html`<span class="mark ok">available</span><span class="sub">${buyers
        .filter((buyer) => buyer !== "key" || !buyers.includes("keyless"))
        .map((buyer) => buyerWords[buyer])
        .join(", ")}</span>`
}

/** Who writes the statements, said before a sale. */
export const authorWords = (key: ProductKey, author: string | undefined): string | undefined =>
  productOf(key).sale.written !== true
    ? undefined
    : author === "language_model"
      ? "A language model writes the statements from measured values; rules write those of networks that it wrote nothing about. The payload names the author of each."
      : "Rules write the statements, from measured values: author is “rules”. No language model is used on this service."

const row = (key: ProductKey, section: typeof Section.Type, author: string | undefined): Html =>
  html`<tr role="row"><th scope="row" role="rowheader"><a href="${productPath(key)}">${productTitle(key)}</a><span class="sub"><code>${key}</code></span></th>
<td role="cell" class="n"><span class="value">${priceText(section.price_usd)}</span></td>
<td role="cell" class="wide-cell">${coded(section.content)}${section.covers !== undefined && html`<span class="sub covers">Today: ${coversWords(section.covers)}</span>`}${author !== undefined && html`<span class="sub">${author}</span>`}${section.note !== undefined && html`<span class="sub">${coded(section.note)}</span>`}</td>
<td role="cell" class="extra">${payingWords(section.ways)}</td><td role="cell">${stateOf(section)}</td></tr>`

const priceOfTier = (all: (typeof Pricing.Type)["tiers"], tier: AccountTier): string => {
  const listed = all.filter((one) => one.tier === tier && one.price_usd !== undefined)
  return listed.length === 0
    ? "by agreement"
    : listed
        .map(({ from, per, price_usd = 0 }) =>
          price_usd === 0
            ? "$0"
            : `${from === true ? "from " : ""}$${formatNumber(price_usd)}${per === undefined ? "" : ` per ${per}`}`
        )
        .join(" or ")
}

const capabilities = [
  ["cross_network", "Views across networks"],
  ["engines", "Engines"],
  ["divergence", "Divergence detector"],
  ["webhooks", "Webhooks"],
  ["exports", "Exports"]
] as const satisfies ReadonlyArray<readonly [Capability, string]>

/** A limit that the operator set, or took away. */
const limitOf = (calls: number | null): string => (calls === null ? "no limit" : formatNumber(calls))

/** The same of what answers may cost, in another unit. */
const costOf = (cost: number | null, divisor: number, unit: string): string =>
  cost === null ? "no limit" : `${formatNumber(cost / divisor)} ${unit}`

const tierTable = (
  all: (typeof Pricing.Type)["tiers"],
  samples: typeof SampleSizes.Service,
  free: (typeof LimitSettings)["Service"],
  { card }: WaysHere
): Html => {
  const includes = (tier: AccountTier) => includesOf(tier, free)
  const rows: ReadonlyArray<readonly [string, (tier: AccountTier) => Html | string]> = [
    ["Price", (tier) => priceOfTier(all, tier)],
    [
      "Lists",
      (tier) =>
        tiers[tier].breadth === "all"
          ? "every network"
          : `${samples.networks} networks, values of ${samples.supply}; others every day, and any ${namedInFull} by name`
    ],
    [
      "Daily history in views, files of months and years",
      (tier) => {
        const { historyDays } = tiers[tier]
        return historyDays === null ? "everything" : `${historyDays} days`
      }
    ],
    ["Calls per day", (tier) => limitOf(includes(tier).calls_per_day)],
    ["Calls per minute", (tier) => limitOf(includes(tier).calls_per_minute)],
    ["Processor time per minute", (tier) => costOf(includes(tier).millis_per_minute, 1000, "s")],
    ["Bytes per minute", (tier) => costOf(includes(tier).bytes_per_minute, 1e6, "MB")],
    ["Streams at once", (tier) => formatNumber(tiers[tier].streams)],
    ["Alerts", (tier) => formatNumber(tiers[tier].alerts)],
    ...capabilities.map(
      ([capability, title]) =>
        [title, (tier: AccountTier) => (tiers[tier].can.includes(capability) ? "yes" : "no")] as const
    ),
    [
      "How to get it",
      (tier) => {
        const sku = all.find((one) => one.tier === tier)?.sku
        return tier === "free"
          ? html`no key needed; <a href="/account">a free one</a> holds credits`
          : sku === undefined
            ? "ask the operator"
            : card.available
              ? html`<a href="#order">order by card</a>`
              : "by card; not now"
      }
    ]
  ]
  return html`${wideTable(
    "Table of the tiers",
    html`<table class="tiers" aria-labelledby="tiers"><thead><tr><th scope="col"><span class="visually-hidden">What it includes</span></th>${AccountTier.literals.map((tier) => html`<th scope="col">${tiers[tier].title}${tier === "free" && html`<span class="sub">also without a key</span>`}</th>`)}</tr></thead>
<tbody>${rows.map(([name, of]) => html`<tr><th scope="row">${name}</th>${AccountTier.literals.map((tier) => html`<td>${of(tier)}</td>`)}</tr>`)}</tbody></table>`
  )}
<p class="quiet">Calls of the Free tier count against your network (an IPv4 address or an IPv6 /64), with or without a key; those of a subscription against its account. Pages of this site are not counted among them. <a href="/docs#limits">All limits</a>.</p>`
}

/** Every SKU in one form. */
const orders = ({ card }: WaysHere): Html => {
  const [first, ...others] = Object.entries(skus).map(([sku, { amount, tier, title }]) => ({
    sku,
    title: `${title.replace(/^Plumbline:? /, "")}, ${priceText(toNumber(amount))}${tier === undefined ? " once, on a new key" : ""}`
  }))
  return html`<h3 id="order">Order by card</h3>${
    card.available && first !== undefined
      ? html`<p>No account is needed. The page after the payment shows the new key.</p>${orderForm("order", [first, ...others])}`
      : html`<p><span class="mark off">not now</span> ${card.reason}</p>`
  }<p class="quiet">For programs: <code>POST /buy/api/order</code>, in the <a href="/docs">API documentation</a>.</p>`
}

export const products = Effect.fn("explorer.products")(function* () {
  const reads = yield* orProblem(reach)
  const samples = yield* SampleSizes
  const free = yield* LimitSettings
  const { packs, sections, tiers: all, ways } = yield* productPrices
  const intel = yield* orProblem((yield* Excerpts).of("depin_ai_intel"))
  const author = "author" in intel ? intel.author : undefined
  const open = productKeys.filter((key) => (sections[key]?.buyers.length ?? 0) > 0).length
  return yield* respondPage({
    title: "Products and prices",
    description: `${productKeys.length} data products, of which ${open} can be bought now, with method, a real excerpt, today's coverage and price, and the tiers side by side.`,
    path: "/products",
    script: "page",
    body: html`<h1>Products and prices</h1>
<p class="lede">Reading this site is free. A product is the whole of a computation over the measured values, delivered once as JSON, signed, with its method and every input. Each page shows what would be delivered now, before you pay.</p>
<section aria-labelledby="list"><h2 id="list">Products</h2><p class="quiet">1 credit is 1 US dollar. Nothing is charged for what cannot be delivered. <a href="#credits">How a key gets credits</a>.</p>
<table class="cards products" role="table" aria-labelledby="list"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Product</th><th scope="col" role="columnheader" class="n">Price</th><th scope="col" role="columnheader">What it contains</th><th scope="col" role="columnheader">Ways to pay</th><th scope="col" role="columnheader">State</th></tr></thead>
<tbody role="rowgroup">${productKeys.map((key) => {
      const section = sections[key]
      return section !== undefined && row(key, section, authorWords(key, author))
    })}</tbody></table></section>
<section aria-labelledby="tiers"><h2 id="tiers">Tiers</h2><p class="quiet">${soldWords} ${openWords}</p><p class="quiet">A subscription is a key with more reach. Credits never change a tier, and a tier never includes products.</p>${tierTable(all, samples, free, ways)}
<h3>What they read today</h3>${reachStrip(reads)}
<p class="quiet">An export is the rows of a view as a file: what it covers is what its tier reads. ${reads.lists.missing.join(". ")}. ${reads.history.missing.join(". ")}.</p>
${orders(ways)}</section>
<section aria-labelledby="credits"><h2 id="credits">Credits</h2><p>${ways.card.available && `Card packs of ${packs.card_usd.map((usd) => `$${usd}`).join(" and ")}, and a one-off of ${priceText(packs.one_shot_usd)} without an account. `}${addingWords(ways)} <a href="/v1/credits/pricing">Every price as JSON</a>.</p></section>`
  })
})
