/**
 * Buying with credits without a script, in three steps: what would be bought, for how much and what it holds (nothing is
 * charged); the purchase; and its data as a file. The key travels in the body of the forms and in no address, and no page is kept.
 */
import { randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { Accounts } from "../../../core/credits/Accounts.ts"
import { requireScope } from "../../../core/credits/keys/ApiKey.ts"
import { toNumber } from "../../../core/credits/Money.ts"
import { Purchases } from "../../../core/credits/Purchases.ts"
import { priceOf, productKey } from "../../../core/credits/pricing.ts"
import { waysHere } from "../../../core/credits/waysToPay.ts"
import { type Table, tablesOf } from "../../../core/products/tables.ts"
import type { PurchaseDryRun } from "../../../core/wire/credits/receipt.ts"
import { PurchaseUnknown } from "../../../core/wire/problems/purchases.ts"
import { BadParameter } from "../../../core/wire/problems/request.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { buyPaths, hidden, priceText } from "../html/buyForm.ts"
import { coversWords } from "../html/covers.ts"
import { valueText } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"
import { addingWords } from "../html/ways.ts"
import { csvFile, jsonFile } from "../purchasedFile.ts"
import { productPath, productTitle } from "./products.ts"

/** The fields of a form. */
type Form = Readonly<Record<string, string>>

const noStore = { "cache-control": "private, no-store" }

const noIndex = html`<meta name="robots" content="noindex">`

/** The account of the key in a form, which may buy. */
const buyer = Effect.fnUntraced(function* ({ api_key = "" }: Form) {
  const accounts = yield* Accounts
  const account = yield* orProblem(accounts.authenticateInUse(Redacted.make(api_key.trim())))
  yield* requireScope(account, "buy")
  return account
})

/** The product that a form names, and the inputs that were filled in. */
const chosenIn = Effect.fnUntraced(function* ({
  api_key: _,
  order: __,
  price: ___,
  product_key = "",
  ...rest
}: Form) {
  const key = productKey(product_key)
  if (key === undefined) {
    return yield* new BadParameter({
      field: "product_key",
      message: "There is no product of this name. /products lists them all."
    })
  }
  const inputs = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value.trim() === "" ? [] : [[name, value.trim()]]))
  )
  return { key, inputs }
})

const asWas = Effect.fnUntraced(function* (page: Parameters<typeof respondPage>[0]) {
  return HttpServerResponse.setHeaders(yield* respondPage(page), noStore)
})

const inputList = (inputs: Form): Html | false =>
  Object.keys(inputs).length > 0 &&
  html`${Object.entries(inputs).map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}`

/** What would be charged and delivered. */
const facts = (
  { covers, credits_balance, payload_bytes, price }: typeof PurchaseDryRun.Type,
  inputs: Form
): Html => html`<dl class="facts"><dt>Price</dt><dd>${priceText(price)}</dd><dt>Your balance</dt><dd>${priceText(credits_balance)}</dd>
${credits_balance >= price && html`<dt>Afterwards</dt><dd>${priceText(credits_balance - price)}</dd>`}
${covers !== undefined && html`<dt>It covers</dt><dd>${coversWords(covers)}</dd>`}
${payload_bytes !== undefined && html`<dt>Size</dt><dd>${valueText(payload_bytes, "bytes")} of JSON; also as CSV</dd>`}${inputList(inputs)}</dl>`

/** Says what would be bought, and asks. Nothing is charged. */
export const reviewPurchase = Effect.fn("explorer.reviewPurchase")(function* (form: Form) {
  const { inputs, key } = yield* chosenIn(form)
  const account = yield* buyer(form)
  const purchases = yield* Purchases
  const would = yield* orProblem(purchases.dryRun(account, { ...inputs, product_key: key }))
  const price = priceText(would.price)
  const back = html`<a class="button" href="${productPath(key)}">Do not buy</a>`
  const ways = yield* waysHere
  return yield* asWas({
    title: `Buy ${productTitle(key)}?`,
    description: "What would be charged and delivered. Nothing is charged yet.",
    path: "",
    head: noIndex,
    script: "page",
    body: html`<h1>Buy ${productTitle(key)} for ${price}?</h1><p class="lede">Nothing is charged yet.</p>${facts(would, inputs)}
${
  would.would_be_bought
    ? html`<form class="actions" action="${buyPaths.pay}" method="post">${hidden("product_key", key)}${hidden("api_key", form["api_key"] ?? "")}${hidden("order", randomUUID())}${hidden("price", String(would.price))}${Object.entries(inputs).map(([name, value]) => hidden(name, value))}<button type="submit" class="primary">Pay ${price} from your credits</button>${back}</form>
<p class="quiet">The data are made first, and the price is charged only if they can be delivered. Sending this form twice charges once.</p>`
    : html`<p><strong>It would be refused:</strong> ${would.refusal?.message ?? ""}</p><p>${addingWords(ways)}</p><p class="actions">${back}</p>`
}`
  })
})

const fileForm = (label: string, form: Form): Html =>
  html`<form action="${buyPaths.file}" method="post">${Object.entries(form).map(([name, value]) => hidden(name, value))}<button type="submit">${label}</button></form>`

/** The most tables that have a button; the rest are in the JSON. */
const mostButtons = 8

const saveForms = (of: Form, tables: ReadonlyArray<Table>): Html =>
  html`<div class="actions">${fileForm("Save as JSON", { ...of, format: "json" })}${tables
    .slice(0, mostButtons)
    .map(({ name }) =>
      fileForm(`Save ${tables.length === 1 ? "" : `${name.replaceAll("_", " ")} `}as CSV`, {
        ...of,
        format: "csv",
        table: name
      })
    )}</div>`

/** Buys what was reviewed, at that price or not at all. */
export const payPurchase = Effect.fn("explorer.payPurchase")(function* (form: Form) {
  const { inputs, key } = yield* chosenIn(form)
  const account = yield* buyer(form)
  const purchases = yield* Purchases
  const { order = "", price = String(toNumber(priceOf(key))) } = form
  const result = yield* orProblem(
    purchases.buy(account, { ...inputs, product_key: key, max_price_usd: price }, order)
  )
  const bought: {
    readonly purchase_id: string
    readonly price_paid: number
    readonly remaining_balance: number
    readonly payload_sha256: string
    readonly data: unknown
  } = JSON.parse(new TextDecoder().decode(result))
  const of = { api_key: form["api_key"] ?? "", purchase_id: bought.purchase_id }
  return yield* asWas({
    title: `${productTitle(key)}: bought`,
    description: "What was bought, and its data as files.",
    path: "",
    head: noIndex,
    script: "page",
    body: html`<h1>${productTitle(key)}: bought</h1><p class="lede">${priceText(bought.price_paid)} of credits paid; ${priceText(bought.remaining_balance)} are left.</p>
<section aria-labelledby="files"><h2 id="files">Your data</h2>${saveForms(of, tablesOf(bought.data))}
<p class="quiet">The JSON has exactly the bytes whose hash is below. Your account page delivers both again, free: <a href="/account">Account</a>.</p></section>
<section aria-labelledby="receipt"><h2 id="receipt">Receipt</h2><dl class="facts"><dt>Purchase</dt><dd><code>${bought.purchase_id}</code></dd><dt>SHA-256 of the data</dt><dd><code>${bought.payload_sha256}</code></dd></dl></section>`
  })
})

/** A purchase as a file. */
export const purchasedFile = Effect.fn("explorer.purchasedFile")(function* (form: Form) {
  const account = yield* buyer(form)
  const { format, purchase_id = "", table } = form
  if (!purchase_id.startsWith("pur_")) return yield* PurchaseUnknown.of()
  const purchased = yield* orProblem((yield* Purchases).delivered(account, purchase_id))
  return format === "csv" ? yield* csvFile(purchased, table) : jsonFile(purchased)
})
