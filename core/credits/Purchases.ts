/**
 * Buying with credits. The payload is built first. Then one transaction checks the balance again, debits it, and stores
 * payload and receipt. A failure before the commit charges nothing. After the commit the purchase can always be read
 * again, by its id or with its `Idempotency-Key`.
 */
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { providing } from "../process/providing.ts"
import { type ProductKey, productOf } from "../products/index.ts"
import { rowsOf } from "../sql/rows.ts"
import type { Coverage } from "../wire/credits/coverage.ts"
import type { PurchaseDryRun, PurchaseItem, PurchaseList } from "../wire/credits/receipt.ts"
import type { BuyLimitReached } from "../wire/problems/accounts.ts"
import {
  type CreditsShort,
  type DataTooOld,
  IdempotencyKeyReused,
  type NotForResale,
  type NothingToDeliver,
  type OverBudget,
  ProductUnavailable,
  ProductWithdrawn,
  PurchaseUnknown
} from "../wire/problems/purchases.ts"
import { BadParameter, type UnknownSymbol } from "../wire/problems/request.ts"
import type { Account } from "./Accounts.ts"
import { CardProcessor } from "./card/CardProcessor.ts"
import { Chain } from "./chain/Chain.ts"
import { commitmentOfSale, commitTo } from "./commitments.ts"
import { bodyHash, checkKey } from "./idempotency.ts"
import { flatRequest, readRequest } from "./inputs.ts"
import { requireBudget } from "./keys/budget.ts"
import { KeyMode, testMark } from "./keys/KeyMode.ts"
import { Ledger } from "./Ledger.ts"
import { type Micros, toNumber } from "./Money.ts"
import { requireFresh } from "./minAsOf.ts"
import { NewestCheckpoint } from "./NewestCheckpoint.ts"
import { type Order, type Product, Products, requireContent } from "./Product.ts"
import { isPart, type PartRequest, Parts } from "./part/Parts.ts"
import { payloadOf, withData, withoutSecret, withSecret } from "./payload.ts"
import { priceOf, productKey } from "./pricing.ts"
import {
  creditsShort,
  PurchaseRecord,
  productUnknown,
  receiptOf,
  requireWithin,
  resultHeadOf
} from "./receipt.ts"
import { paymentOf } from "./warranty/payments.ts"
import { warrant, warrantedOf, warrantyOf } from "./warranty/sold.ts"
import { promiseOf, WarrantyTerms } from "./warranty/terms.ts"
import { accepted } from "./waysToPay.ts"
import { X402Settler } from "./x402/Settler.ts"

const payloadRows = rowsOf({ bytes: Schema.Uint8Array })
const purchaseRows = rowsOf({ ...PurchaseRecord.fields, request_sha256: Schema.String })
const columns = "id, product_key, price, remaining, payload_sha256, checkpoint, request_sha256, purchased_at"

export type Refusal =
  | BadParameter
  | BuyLimitReached
  | CreditsShort
  | DataTooOld
  | IdempotencyKeyReused
  | OverBudget
  | NotForResale
  | NothingToDeliver
  | ProductUnavailable
  | ProductWithdrawn
  | UnknownSymbol

/** A purchase with what was delivered. */
export interface Purchased {
  readonly purchase: typeof PurchaseItem.Type
  /** The payload, whose hash the receipt has, or a part of it. */
  readonly bytes: Uint8Array
  /** The same for the same bytes. */
  readonly id: string
}

interface Page {
  readonly limit?: number
  readonly cursor?: string
}

export class Purchases extends Context.Service<
  Purchases,
  {
    /**
     * Buys a product and returns the bytes of a `PurchaseResult`, whose `data` is the stored payload. The member
     * `max_price_usd` of the request is the buyer's budget; the others are inputs of the product.
     */
    readonly buy: (
      account: Account,
      request: Readonly<Record<string, unknown>>,
      idempotencyKey?: string
    ) => Effect.Effect<Uint8Array, Refusal | SqlError>
    /** What `buy` would do with this request now: everything is built and checked, and nothing is kept or charged. */
    readonly dryRun: (
      account: Account,
      request: Readonly<Record<string, unknown>>
    ) => Effect.Effect<
      typeof PurchaseDryRun.Type,
      Exclude<Refusal, DataTooOld | IdempotencyKeyReused> | SqlError
    >
    /** The purchases of an account, newest first; `limit` is 1 to 500. */
    readonly list: (
      account: Account,
      page?: Page
    ) => Effect.Effect<typeof PurchaseList.Type, BadParameter | SqlError>
    /** The bytes of a `Receipt`; with `data`, exactly the payload bytes that were delivered. With names, a part of them. */
    readonly receipt: (
      account: Account,
      id: string,
      include: "data" | undefined,
      request?: PartRequest
    ) => Effect.Effect<Uint8Array, BadParameter | PurchaseUnknown | SqlError>
    /** What was delivered, again and free. */
    readonly delivered: (account: Account, id: string) => Effect.Effect<Purchased, PurchaseUnknown | SqlError>
    /** A part of it. */
    readonly partOf: (
      account: Account,
      id: string,
      request: PartRequest
    ) => Effect.Effect<Purchased, BadParameter | PurchaseUnknown | SqlError>
    readonly built: (key: ProductKey) => boolean
    /** What each product covers now; one whose inputs cannot be read at the moment is absent. */
    readonly coverage: Effect.Effect<ReadonlyMap<ProductKey, Coverage>>
  }
>()("core/credits/Purchases") {
  static readonly layer = Layer.effect(
    Purchases,
    Effect.gen(function* () {
      const products = yield* Products
      const provided = yield* providing(
        SqlClient.SqlClient,
        CardProcessor,
        Chain,
        KeyMode,
        Ledger,
        NewestCheckpoint,
        Parts,
        Products,
        SecureRandom,
        WarrantyTerms,
        X402Settler
      )
      return Purchases.of({
        buy: provided(buy),
        dryRun: provided(dryRun),
        list: provided(list),
        receipt: provided(receipt),
        delivered: provided(delivered),
        partOf: provided(partOf),
        built: (key) => products.has(key) && productOf(key).withdrawn === undefined,
        coverage: Effect.provideService(coverage, Products, products)
      })
    })
  )
}

const buy = Effect.fn("Purchases.buy")(function* (
  account: Account,
  request: Readonly<Record<string, unknown>>,
  idempotencyKey?: string
) {
  const random = yield* SecureRandom
  const key = yield* checkKey(idempotencyKey)
  const params = yield* flatRequest(request)
  const hash = yield* bodyHash(params)
  const before = yield* earlier(account.id, key, hash)
  if (before !== undefined) return withData(yield* resultHead(before), yield* bytesOf(before))

  const { inputs, limit, minAsOf, product: sold } = yield* offer(params)
  // Before the payload is built, so that none is built in vain.
  yield* requireMeans(account, priceOf(sold.key), limit)
  const id = `pur_${Hex.encode(yield* random.randomBytes(16))}`
  const order: Order = { id, account: account.id, inputs }
  const soldAt = yield* DataClock.now
  const built = yield* sold.build(order)
  if (minAsOf !== undefined) yield* requireFresh(sold.key, built, minAsOf)
  const { delivered, head } = yield* settle(account, order, sold, { built, soldAt }, key, hash)
  return withData(head, delivered)
})

const dryRun = Effect.fn("Purchases.dryRun")(function* (
  account: Account,
  request: Readonly<Record<string, unknown>>
) {
  const random = yield* SecureRandom
  const { inputs, limit, minAsOf, product: sold } = yield* offer(yield* flatRequest(request))
  const price = priceOf(sold.key)
  const covers = sold.covers === undefined ? undefined : yield* sold.covers({ inputs })
  const means = yield* Effect.result(requireMeans(account, price, limit))
  if (Result.isFailure(means) && isSqlError(means.failure)) return yield* means.failure
  if (Result.isFailure(means) && means.failure._tag === "BadParameter") return yield* means.failure
  const promise = inputs["as_known_at"] === undefined ? promiseOf(yield* WarrantyTerms, sold.key) : undefined
  const summary = {
    status: "dry_run" as const,
    ...testMark(yield* KeyMode),
    product_key: sold.key,
    price: toNumber(price),
    credits_balance: toNumber(account.balance),
    ...(covers === undefined ? {} : { covers }),
    ...(promise === undefined ? {} : { warranty: promise.says })
  }
  const refused = ({ _tag, message }: { readonly _tag: string; readonly message: string }) => ({
    ...summary,
    would_be_bought: false,
    refusal: { error: nameOf(_tag), message }
  })
  if (Result.isFailure(means)) return refused(means.failure)
  // The id is of no purchase: what it would grant is never granted.
  const id = `pur_${Hex.encode(yield* random.randomBytes(16))}`
  const built = yield* sold.build({ id, account: account.id, inputs })
  if (minAsOf !== undefined) {
    const fresh = yield* Effect.result(requireFresh(sold.key, built, minAsOf))
    if (Result.isFailure(fresh)) return refused(fresh.failure)
  }
  const { bytes } = yield* payloadOf(built)
  return { ...summary, would_be_bought: true, payload_bytes: bytes.length }
})

const list = Effect.fn("Purchases.list")(function* (account: Account, { cursor, limit = 100 }: Page = {}) {
  const sql = yield* SqlClient.SqlClient
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    return yield* new BadParameter({ field: "limit", message: "limit takes 1 to 500" })
  }
  const from = cursor === undefined ? undefined : yield* readCursor(cursor)
  const rows = yield* sql`
    select ${sql.literal(columns)} from purchase where account = ${account.id}
    ${from === undefined ? sql`` : sql`and (purchased_at, id) < (${from.at}, ${from.id})`}
    order by purchased_at desc, id desc limit ${limit + 1}`.pipe(purchaseRows)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    purchases: rows.slice(0, limit).map(receiptOf),
    ...(last === undefined
      ? {}
      : { next_cursor: Base64Url.encode(`${last.purchased_at.getTime()} ${last.id}`) })
  }
})

const delivered = Effect.fn("Purchases.delivered")(function* (account: Account, id: string) {
  const purchase = yield* purchaseOf(account, id)
  return { purchase: receiptOf(purchase), bytes: yield* bytesOf(purchase), id }
})

const partOf = Effect.fn("Purchases.partOf")(function* (account: Account, id: string, request: PartRequest) {
  const { purchase, bytes: whole } = yield* delivered(account, id)
  const { bytes, part } = yield* (yield* Parts).of(whole, request)
  return { purchase, bytes, id: `${id} ${JSON.stringify(part)}` }
})

const receipt = Effect.fn("Purchases.receipt")(function* (
  account: Account,
  id: string,
  include: "data" | undefined,
  request: PartRequest = {}
) {
  const purchase = yield* purchaseOf(account, id)
  const warranty_payment = yield* paymentOf(id)
  const receipt = {
    ...testMark(yield* KeyMode),
    ...receiptOf(purchase),
    ...(yield* committed(purchase)),
    ...(warranty_payment === undefined ? {} : { warranty_payment })
  }
  if (isPart(request)) {
    const { bytes, part } = yield* (yield* Parts).of(yield* bytesOf(purchase), request)
    return withData({ ...receipt, part }, bytes)
  }
  return include === "data"
    ? withData(receipt, yield* bytesOf(purchase))
    : new TextEncoder().encode(JSON.stringify(receipt))
})

/** The account's purchase of this id. */
const purchaseOf = Effect.fnUntraced(function* (account: Account, id: string) {
  const sql = yield* SqlClient.SqlClient
  // Invalid ids never reach SQL, which rejects some texts that JSON and URLs can hold, such as NUL.
  const [purchase] = purchaseId.test(id)
    ? yield* sql`select ${sql.literal(columns)} from purchase where id = ${id} and account = ${account.id}`.pipe(
        purchaseRows
      )
    : []
  return purchase ?? (yield* PurchaseUnknown.of())
})

const coverage = Effect.gen(function* () {
  const products = yield* Products
  const covered = new Map<ProductKey, Coverage>()
  for (const { covers, key } of products.values()) {
    const result = covers === undefined ? undefined : yield* Effect.result(covers({ inputs: {} }))
    if (result !== undefined && Result.isSuccess(result)) covered.set(key, result.success)
  }
  return covered
}).pipe(Effect.withSpan("Purchases.coverage"))

/** The earlier purchase with this `Idempotency-Key`, if its body was the same. */
const earlier = Effect.fnUntraced(function* (account: string, key: string | undefined, request: string) {
  const sql = yield* SqlClient.SqlClient
  if (key === undefined) return undefined
  const [purchase] = yield* sql`
    select ${sql.literal(columns)} from purchase where account = ${account} and idempotency_key = ${key}`.pipe(
    purchaseRows
  )
  if (purchase !== undefined && purchase.request_sha256 !== request) return yield* IdempotencyKeyReused.of()
  return purchase
})

/** The requested product and its validated inputs. Fails if it cannot be bought. */
const offer = Effect.fnUntraced(function* (request: Readonly<Record<string, unknown>>) {
  const products = yield* Products
  const { product_key: named } = request
  if (typeof named !== "string") {
    return yield* new BadParameter({ field: "product_key", message: "product_key must be a string." })
  }
  const key = productKey(named)
  if (key === undefined) return yield* productUnknown(named)
  const { withdrawn } = productOf(key)
  if (withdrawn !== undefined) {
    return yield* new ProductWithdrawn({ message: `${key}: ${withdrawn}`, product_key: key })
  }
  const product = products.get(key)
  if (product === undefined) {
    return yield* new ProductUnavailable({
      message: `${key} is not available yet. Nothing was charged.`,
      product_key: key
    })
  }
  yield* requireContent(product)
  return { product, ...(yield* readRequest(key, request)) }
})

/** Fails if the account would not be charged the price now. The check that counts is under the account's lock. */
const requireMeans = Effect.fnUntraced(function* (account: Account, price: Micros, limit: unknown) {
  const sql = yield* SqlClient.SqlClient
  yield* requireWithin(price, limit)
  if (account.balance < price)
    return yield* creditsShort(price, account.balance, account.owed, yield* accepted)
  yield* requireBudget(sql, account.id, account.apiKey, price)
})

/**
 * The purchase and the bytes to deliver. Holds the account's lock, so nothing else can spend or use the same key between
 * check and commit.
 */
const settle = Effect.fnUntraced(function* (
  { apiKey, id: account }: Account,
  order: Order,
  sold: Product,
  { built, soldAt }: { readonly built: unknown; readonly soldAt: number },
  idempotencyKey: string | undefined,
  request: string
) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const checkpoint = yield* NewestCheckpoint
  const payload = yield* payloadOf(built)
  const ways = yield* accepted
  const price = priceOf(sold.key)
  const warranted = yield* warrantedOf({ key: sold.key, price, inputs: order.inputs, soldAt, data: built })
  const newest = yield* checkpoint
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const lock = yield* ledger.lock(account)
      const before = yield* earlier(account, idempotencyKey, request)
      if (before !== undefined) return { head: yield* resultHead(before), delivered: yield* bytesOf(before) }
      yield* requireBudget(sql, account, apiKey, price)
      const { balance } = yield* ledger
        .debitLocked(lock, price, "sales", {
          cause: "purchase",
          reference: order.id,
          key: `purchase:${order.id}`
        })
        .pipe(
          Effect.catchTag("BalanceShort", (short) =>
            Effect.fail(creditsShort(price, short.balance, short.owed, ways))
          )
        )
      const secret = yield* secretOf(sold.key, order.id)
      const bytes = secret === undefined ? payload.bytes : withoutSecret(payload.bytes, secret)
      yield* sql`
        insert into payload (sha256, bytes) values (${payload.sha256}, ${bytes})
        on conflict (sha256) do nothing`
      if (sold.grant !== undefined) yield* sold.grant(order)
      const [purchase] = yield* sql`
        insert into purchase (id, account, product_key, price, remaining, payload_sha256, checkpoint,
          idempotency_key, request_sha256, purchased_at, key_id)
        values (${order.id}, ${account}, ${sold.key}, ${price}, ${balance}, ${payload.sha256},
          ${newest === null ? null : JSON.stringify(newest)}::jsonb, ${idempotencyKey ?? null}, ${request},
          ${new Date(yield* Clock.currentTimeMillis)}, ${apiKey?.id ?? null})
        returning ${sql.literal(columns)}`.pipe(purchaseRows)
      if (purchase === undefined) return yield* Effect.die(new Error("the insert returned no row"))
      const commitment = yield* commitTo(order.id, payload.sha256)
      const warranty = yield* warrant(order.id, warranted)
      const head = {
        ...testMark(yield* KeyMode),
        ...resultHeadOf(purchase),
        commitment,
        ...(warranty === undefined ? {} : { warranty })
      }
      return { head, delivered: payload.bytes }
    })
  )
})

/** The members `commitment` and `warranty`, each if the purchase has it. */
const committed = Effect.fnUntraced(function* ({ id }: PurchaseRecord) {
  const commitment = yield* commitmentOfSale(id)
  const warranty = yield* warrantyOf(id)
  return {
    ...(commitment === undefined ? {} : { commitment }),
    ...(warranty === undefined ? {} : { warranty })
  }
})

const resultHead = Effect.fnUntraced(function* (purchase: PurchaseRecord) {
  return { ...testMark(yield* KeyMode), ...resultHeadOf(purchase), ...(yield* committed(purchase)) }
})

/** The payload bytes of a purchase, as delivered. */
const bytesOf = Effect.fnUntraced(function* ({ id, payload_sha256, product_key }: PurchaseRecord) {
  const sql = yield* SqlClient.SqlClient
  const [payload] = yield* sql`
    select bytes from payload where sha256 = ${payload_sha256}`.pipe(payloadRows)
  if (payload === undefined) return yield* Effect.die(new Error(`no payload ${payload_sha256}`))
  const secret = yield* secretOf(product_key, id)
  return secret === undefined ? payload.bytes : withSecret(payload.bytes, secret)
})

/** What is delivered of a purchase and not stored, if its product has it. */
const secretOf = Effect.fnUntraced(function* (key: string, id: string) {
  const products = yield* Products
  const sold = productKey(key)
  return sold === undefined ? undefined : products.get(sold)?.secret?.(id)
})

/** The name of an error in answers. */
const nameOf = (tag: string): string => tag.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

const purchaseId = /^pur_[0-9a-f]{32}$/

const readCursor = (cursor: string) => {
  const wrong = new BadParameter({ field: "cursor", message: "cursor must be a next_cursor of this list." })
  return Effect.gen(function* () {
    const text = yield* Effect.fromResult(Base64Url.decodeString(cursor)).pipe(Effect.mapError(() => wrong))
    const match = /^(\d{1,15}) (pur_[0-9a-f]{32})$/.exec(text)
    if (match?.[1] === undefined || match[2] === undefined) return yield* wrong
    return { at: new Date(Number(match[1])), id: match[2] }
  })
}
