/** Account and payment tools, in the full edition only. */

import { Effect, Record, Schema, Struct } from "effect"
import { type Account, Accounts } from "../../core/credits/Accounts.ts"
import { Wallets } from "../../core/credits/chain/Wallets.ts"
import { checkKey } from "../../core/credits/idempotency.ts"
import { flatRequest, readRequest } from "../../core/credits/inputs.ts"
import { requireScope } from "../../core/credits/keys/ApiKey.ts"
import { toNumber } from "../../core/credits/Money.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import type { PartRequest } from "../../core/credits/part/Parts.ts"
import { withData } from "../../core/credits/payload.ts"
import { priceOf, productKey } from "../../core/credits/pricing.ts"
import { requireWithin } from "../../core/credits/receipt.ts"
import { Statement } from "../../core/credits/Statement.ts"
import { topUp } from "../../core/credits/topUp.ts"
import { offeredKey } from "../../core/credits/x402/offer.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { longPayload } from "../../core/process/threads/longPayload.ts"
import { productKeys, productOf } from "../../core/products/index.ts"
import { productPrices } from "../../core/products/priceList.ts"
import { readKnownAt } from "../../core/readings/read/asKnownAt.ts"
import { wholeNumber } from "../../core/readings/read/parameters.ts"
import { Balance, Registration, RegistrationRequest } from "../../core/wire/credits/accounts.ts"
import { Challenge, ChallengeRequest, Verified, VerifyRequest } from "../../core/wire/credits/chain.ts"
import { Pricing, type Section } from "../../core/wire/credits/pricing.ts"
import { TopUpRequest, TopUpResult } from "../../core/wire/credits/topUp.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { Linked, linkTo, uriOf } from "../links.ts"
import { PageReader } from "../PageReader.ts"
import { namedPayment, PaidAnswer, paymentOf } from "../payments.ts"
import { purchasePage, wholeOf } from "../purchasePage.ts"
import { largestResource } from "../resources.ts"
import { accountOf, define, reads } from "../Tool.ts"
import { leftOut, text } from "../truncate.ts"

const full = ["full"] as const

const idempotency_key = text("send one: a retry with it is not charged again")

export const registerAgent = define({
  name: "register_agent",
  title: "Get a free API key",
  description:
    "Create an account and its API key, with starter credits for the first keys of a network. Not needed for reading. " +
    "Save the key: it is shown only once. Each call creates another account.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  editions: full,
  input: RegistrationRequest,
  output: Registration,
  run: Effect.fnUntraced(function* (input, { network }) {
    return yield* (yield* Accounts).register(input, network)
  })
})

export const checkBalance = define({
  name: "check_balance",
  title: "Balance of a key",
  description: "Credits the key can spend; 1 credit is 1 USD. Free.",
  annotations: reads,
  editions: full,
  key: "needed",
  input: Schema.Struct({}),
  output: Balance,
  depth: 1,
  run: Effect.fnUntraced(function* (_, call) {
    const account = yield* (yield* Accounts).authenticateInUse(call.key)
    yield* requireScope(account, "account", "buy")
    return yield* (yield* Statement).balance(account)
  })
})

/** What to choose a product by. */
const inShort = ({ buyers, content, price_usd, status, ways, x402_usd }: typeof Section.Type) => ({
  price_usd,
  ...(x402_usd === undefined ? {} : { x402_usd }),
  status,
  content,
  ways,
  buyers
})

export const listProducts = define({
  name: "list_products",
  title: "Products and prices",
  description:
    "Products for sale: `sections` by product_key with price, status (only `available` is delivered), the `ways` and `buyers` that reach the price. " +
    "With product_key, all of one: what it covers today, what is missing, its inputs. Reading networks, history and proofs is free.",
  annotations: reads,
  input: Schema.Struct({ product_key: text("one product, in full") }),
  output: Schema.Struct({
    ...Struct.omit(Pricing.fields, ["open", "sold", "covers", "other_prices"]),
    left_out: leftOut
  }),
  depth: 1,
  run: Effect.fnUntraced(function* ({ product_key }) {
    const { sections, tiers, ...list } = yield* productPrices
    if (product_key !== undefined) {
      const section = productKey(product_key)
      if (section === undefined) {
        const message = `Unknown product ${JSON.stringify(product_key.slice(0, 60))}.`
        return yield* new BadParameter({ field: "product_key", message, valid_values: productKeys })
      }
      return { currency: list.currency, credit: list.credit, sections: { [section]: sections[section] } }
    }
    return {
      currency: list.currency,
      credit: list.credit,
      sections: Record.map(sections, inShort),
      ways: list.ways,
      packs: list.packs,
      tiers: tiers.map(({ contents: _contents, includes: _includes, ...tier }) => tier),
      left_out: `What each of the ${Object.keys(sections).length} products covers and takes: pass product_key. Prices per path: GET /v1/credits/pricing.`
    }
  })
})

/** Page size in characters: the default suits a model, the maximum is what clients accept. */
const pageSize = { min: 2000, max: 500_000, fallback: 20_000 }

/** The purchase with one page of its payload. */
const delivered = Effect.fnUntraced(function* (bytes: Uint8Array, page: number, size: number) {
  const task = { bytes, page, size, largest: pageSize.max }
  const { data, head, pages } =
    bytes.length > longPayload ? yield* (yield* PageReader).page(task) : purchasePage(task)
  if (data === undefined) {
    const valid = `a whole number from 1 to ${pages}`
    const message = `page ${page} does not exist. With this page_size, page must be ${valid}.`
    return yield* new BadParameter({ field: "page", message, valid })
  }
  return {
    ...head,
    page,
    n_pages: pages,
    ...(page === pages ? {} : { next_page: page + 1 }),
    ...(pages === 1
      ? {}
      : {
          left_out:
            `This is page ${page} of ${pages}. Get the others free: purchase_data with purchase_id and page. A larger ` +
            `page_size (up to ${pageSize.max}) makes fewer pages; ${wholeOf(head)} returns everything. Lists continue across pages.`
        }),
    data
  }
})

/** The payload whole: over HTTP if it is larger than a resource can be. Both want the key as `X-API-Key`. */
const purchaseLink = Effect.fnUntraced(function* (account: Account, id: string, baseUrl: string) {
  const { bytes } = yield* (yield* Purchases).delivered(account, id)
  return linkTo({
    uri:
      bytes.length > largestResource
        ? `${baseUrl}/v1/credits/purchases/${id}?include=data`
        : uriOf("purchase", [id]),
    name: id,
    title: "Everything that was bought",
    mimeType: "application/json",
    size: bytes.length
  })
})

/** The inputs of the products, named as in list_products. */
const productInputs = {
  network: text("symbol of a network"),
  metric: text("a metric"),
  days: Schema.optionalKey(Schema.Int.annotate({ description: "number of days, today among them" })),
  run: text("id of a run"),
  as_known_at: text("as known at this ISO 8601 time"),
  limit: Schema.optionalKey(Schema.Int.annotate({ description: "rows" })),
  cursor: text("next_cursor of an earlier purchase")
}

type Members = Readonly<Record<string, unknown>>

/** The members of a purchase that concern a payment alone: harmless where nothing is paid. */
const ofPayment: ReadonlyArray<string> = ["max_price_usd", "min_as_of"]

/** Fails on an input that does not go with `way`, which pays for nothing. */
const requireNames = (way: string, inputs: Members, names: ReadonlyArray<string>) => {
  const stray = Object.keys(inputs).find((name) => ![...names, ...ofPayment].includes(name))
  if (stray === undefined) return Effect.void
  const field = stray.slice(0, 60)
  const message = `${way} takes no input ${JSON.stringify(field)}. Valid inputs: ${names.join(", ")}.`
  return Effect.fail(new BadParameter({ field, message, valid_values: names }))
}

/** What names a part of a purchase, and how core calls it. */
const partNames = { network: "symbols", metric: "metrics" } as const

/** The input of this name, as text. */
const textIn = Effect.fnUntraced(function* (inputs: Members, field: keyof typeof partNames) {
  const value = inputs[field]
  if (value === undefined || typeof value === "string") return value
  return yield* new BadParameter({ field, message: `${field} must be a string.`, valid: "a string" })
})

/** The part of a purchase that flat inputs name. */
const partIn = Effect.fnUntraced(function* (inputs: Members) {
  yield* requireNames("purchase_id", inputs, Object.keys(partNames))
  const part: PartRequest = {
    symbols: yield* textIn(inputs, "network"),
    metrics: yield* textIn(inputs, "metric")
  }
  return part
})

/** An error of a part, in the words of the tool. */
const inToolWords = ({ field, message, valid_values }: BadParameter) => {
  const [own = field] = Object.entries(partNames).find(([, name]) => name === field) ?? []
  return new BadParameter({
    ...(own === undefined ? {} : { field: own }),
    message: own === undefined ? message : message.replace(/^(symbols|metrics)/, own),
    ...(valid_values === undefined ? {} : { valid_values })
  })
}

/** A number as the checks of parameters take it. */
const rawNumber = (value: unknown) =>
  value === undefined || typeof value === "number" || typeof value === "string" ? value : ""

/** Fails unless the call has one purpose. */
const requireOnePurpose = (...wants: ReadonlyArray<boolean>) =>
  wants.filter((flag) => flag).length === 1
    ? Effect.void
    : Effect.fail(
        new BadParameter({
          field: "product_key",
          message:
            "Send one of product_key to buy, purchase_id to get a purchase again, and list to list your purchases."
        })
      )

const anything = Schema.Record(Schema.String, Schema.Unknown)

/** Every product that is not withdrawn. */
const onSale = productKeys.filter((key) => productOf(key).withdrawn === undefined)

/** Each with its price: enough to choose by, without a call of list_products. */
const prices = onSale.map((key) => `${key} ${toNumber(priceOf(key))}`).join(", ")

export const purchaseData = define({
  name: "purchase_data",
  title: "Buy a product",
  description:
    "Spend credits on a product and receive it as JSON text in pages: {purchase_id, price_paid, page, n_pages, data, " +
    "...}. Nothing is charged if delivery fails. Free: purchase_id gets an earlier purchase again, a page, or one network or metric; list: all receipts. Without a key, pay what has x402 in its `ways` by x402.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  editions: full,
  key: "needed",
  input: Schema.StructWithRest(
    Schema.Struct({
      product_key: text(`what to buy, with its price in USD: ${prices}`),
      max_price_usd: Schema.optionalKey(
        Schema.Finite.annotate({ description: "a higher price is refused, and nothing is charged" })
      ),
      min_as_of: text("pay only if fresh: the oldest as_of you accept, ISO 8601 in UTC"),
      dry_run: Schema.optionalKey(
        Schema.Boolean.annotate({
          description: "say what it would cost and do, without buying"
        })
      ),
      list: Schema.optionalKey(
        Schema.Boolean.annotate({
          description: "instead of product_key: all receipts, newest first"
        })
      ),
      inputs: Schema.optionalKey(
        Schema.StructWithRest(Schema.Struct(productInputs), [anything]).annotate({
          description: "its inputs, as list_products has them"
        })
      ),
      idempotency_key,
      purchase_id: text("instead of product_key: deliver this purchase again"),
      page: Schema.optionalKey(Schema.Int.annotate({ description: "with purchase_id: 1 to n_pages" })),
      page_size: Schema.optionalKey(
        Schema.Int.annotate({
          description: `characters of a page: ${pageSize.min} to ${pageSize.max}, default ${pageSize.fallback}`
        })
      )
    }),
    [anything]
  ),
  values: { product_key: onSale },
  unlisted: Object.keys(productInputs),
  verbatim: true,
  longestAnswer: pageSize.max,
  run: Effect.fnUntraced(function* (
    { dry_run, idempotency_key, list, page: pageNumber, page_size, product_key, purchase_id, ...inputs },
    call
  ) {
    const x402 = yield* X402
    const offered = call.key === undefined && product_key !== undefined && offeredKey(product_key)
    // A page of what was paid is asked for with the same payment, which is taken once.
    if (offered !== undefined && offered !== false && dry_run !== true) {
      const size = yield* wholeNumber("page_size", page_size, pageSize)
      const page = yield* wholeNumber("page", pageNumber, { min: 1, max: 100_000, fallback: 1 })
      yield* requireOnePurpose(true, purchase_id !== undefined, list === true)
      const request = yield* readRequest(offered, yield* flatRequest(inputs))
      yield* requireWithin(priceOf(offered), request.limit)
      const payment = yield* namedPayment(call.payment, yield* checkKey(idempotency_key))
      const { as_known_at } = request.inputs
      if (as_known_at !== undefined) yield* readKnownAt(as_known_at)
      const sold = yield* x402.pay(offered, call.baseUrl, paymentOf(payment), {
        ...(request.minAsOf === undefined ? {} : { minAsOf: request.minAsOf }),
        ...(typeof as_known_at === "string" ? { knownAt: as_known_at } : {})
      })
      return PaidAnswer.of(JSON.stringify(yield* delivered(withData(sold.head, sold.data), page, size)), sold)
    }
    const account = yield* accountOf(call, "buy")
    const purchases = yield* Purchases
    // Checked before anything is charged.
    yield* requireOnePurpose(product_key !== undefined, purchase_id !== undefined, list === true)
    if (list === true) {
      const flat = yield* flatRequest(inputs)
      yield* requireNames("list", flat, ["limit", "cursor"])
      const limit = yield* wholeNumber("limit", rawNumber(flat["limit"]), { min: 1, max: 500, fallback: 20 })
      const { cursor } = flat
      return yield* purchases.list(account, { limit, ...(typeof cursor === "string" ? { cursor } : {}) })
    }
    if (dry_run === true) {
      if (product_key !== undefined) return yield* purchases.dryRun(account, { ...inputs, product_key })
      return yield* new BadParameter({
        field: "dry_run",
        message: "dry_run takes a product_key: a purchase that was made is delivered again free."
      })
    }
    const size = yield* wholeNumber("page_size", page_size, pageSize)
    const page = yield* wholeNumber("page", pageNumber, { min: 1, max: 100_000, fallback: 1 })
    if (page > 1 && purchase_id === undefined) {
      return yield* new BadParameter({
        field: "page",
        message: "A new purchase delivers page 1. Get the other pages with its purchase_id."
      })
    }
    const bytes =
      purchase_id === undefined
        ? yield* purchases.buy(account, { ...inputs, product_key }, idempotency_key)
        : yield* purchases
            .receipt(account, purchase_id, "data", yield* partIn(yield* flatRequest(inputs)))
            .pipe(Effect.catchTag("BadParameter", (error) => Effect.fail(inToolWords(error))))
    const answer = yield* delivered(bytes, page, size)
    if (answer.n_pages === 1) return answer
    return new Linked(answer, [yield* purchaseLink(account, answer.purchase_id, call.baseUrl)])
  })
})

export const challengeWallet = define({
  name: "challenge_wallet",
  title: "Text for a wallet to sign",
  description: "A text that proves control of a wallet: sign it (EIP-191), then verify_wallet.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  editions: full,
  key: "needed",
  input: ChallengeRequest,
  output: Challenge,
  depth: 1,
  run: Effect.fnUntraced(function* ({ wallet }, call) {
    const account = yield* accountOf(call, "account")
    return yield* (yield* Wallets).challenge(account, wallet, call.baseUrl)
  })
})

export const verifyWallet = define({
  name: "verify_wallet",
  title: "Verify a wallet",
  description: "Send the signature; topup_credits then takes the wallet.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  editions: full,
  key: "needed",
  input: VerifyRequest,
  output: Verified,
  depth: 1,
  run: Effect.fnUntraced(function* ({ nonce, signature }, call) {
    const account = yield* accountOf(call, "account")
    return yield* (yield* Wallets).verify(account, nonce, signature)
  })
})

export const topUpCredits = define({
  name: "topup_credits",
  title: "Add credits",
  description:
    "Get a card payment link (method stripe) or a stablecoin deposit quote (method usdc; from_address is " +
    "a wallet of verify_wallet), if in `ways`. No money moves: credits appear once somebody pays.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  editions: full,
  key: "needed",
  input: Schema.Struct({
    ...TopUpRequest.fields,
    amount: Schema.optionalKey(
      Schema.Union([Schema.Finite, Schema.String]).annotate({ description: "USD; 20 or 99 for a card" })
    ),
    idempotency_key
  }),
  values: { method: ["stripe", "usdc", "crypto"] },
  output: TopUpResult,
  depth: 1,
  run: Effect.fnUntraced(function* ({ idempotency_key, ...request }, call) {
    return yield* topUp(yield* accountOf(call, "account"), request, call.baseUrl, idempotency_key)
  })
})
