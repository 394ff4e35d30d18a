/**
 * Payment per request: an offer, a signed authorization, the data. The steps in order: local checks; the result of an
 * earlier request with the same authorization; the chain; the payload; the claim; settlement; delivery. An unknown outcome
 * is never reported as a failure, because a client that hears "failed" would sign again and pay twice.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { type ProductKey, soldPerRequest } from "../../products/index.ts"
import { readPaths } from "../../wire/credits/reads.ts"
import type { DataTooOld, NothingToDeliver } from "../../wire/problems/purchases.ts"
import { NotFound } from "../../wire/problems/request.ts"
import {
  type DeliveryOver,
  OfferUnavailable,
  type PaymentMalformed,
  PaymentReused,
  SettlementUnavailable
} from "../../wire/problems/x402.ts"
import { toNumber } from "../Money.ts"
import { requireFresh } from "../minAsOf.ts"
import { NewestCheckpoint } from "../NewestCheckpoint.ts"
import { Products, requireContent } from "../Product.ts"
import { type Payload, payloadOf } from "../payload.ts"
import { type Warranted, warrantedOf } from "../warranty/sold.ts"
import { WarrantyTerms } from "../warranty/terms.ts"
import { answer, deliveredAgainMs, needed, type OfferRequest } from "./answers.ts"
import { holdsNow, matchesOffer } from "./check.ts"
import { type Item, offeredKey, offerOf, productItem, readItem, type SoldKey } from "./offer.ts"
import { Sales } from "./Sales.ts"
import { PaymentRefused, type Settler, type Terms, X402Settler } from "./Settler.ts"
import type { Delivered, PaymentNeeded, Sale, SettlementPending, SoldRead } from "./saleRecord.ts"
import { apart, conclude, drive, resume, watch } from "./settlements.ts"
import { type DecodedPayment, decodePayment, type PaymentRequired } from "./wire.ts"

/** Why there is no sale of anything. */
export type SaleRefusal =
  | DeliveryOver
  | OfferUnavailable
  | SettlementUnavailable
  | PaymentMalformed
  | PaymentNeeded
  | PaymentReused
  | SettlementPending

/** Why there is no sale of a product. */
export type X402Refusal = SaleRefusal | DataTooOld | NothingToDeliver | NotFound

/** A payment as received in a header of x402, or as another protocol's credential decodes to it. */
export type ReceivedPayment =
  | { readonly version: 1 | 2; readonly header: string }
  | { readonly version: 2; readonly decoded: DecodedPayment }

/** What the buyer asks of the data. */
export interface Wish {
  /** The oldest `as_of` that he pays for, epoch milliseconds. */
  readonly minAsOf?: number
  /** `as_known_at` of the request. */
  readonly knownAt?: string
}

/** What is delivered for a payment. */
export interface Built {
  readonly payload: Payload
  /** Present if it is the body of an answer. */
  readonly read?: SoldRead
  /** What is promised of it. */
  readonly warranted?: Warranted | undefined
}

/** One item of the catalog. */
export interface Listed {
  readonly key: SoldKey
  readonly path: string
  readonly price: number
  readonly content: string
  /** Absent if the product is unavailable now. */
  readonly offer?: PaymentRequired
  readonly reason?: string
}

/** How many settlements of one payer may fail on the chain per hour. */
const mostWasted = 3

const unavailable = (key: SoldKey, why: string) =>
  new OfferUnavailable({ product_key: key, message: `${key}: ${why} Nothing was charged.` })

const notSetUp = "This service sells nothing per request."

/** What ties an authorization to one sale. */
const identityOf = ({ payment: { authorization } }: DecodedPayment, { terms }: OfferRequest) => ({
  network: terms.network,
  asset: terms.asset.toLowerCase(),
  payer: authorization.from,
  nonce: authorization.nonce
})

const identifierReused = () =>
  new PaymentReused({
    message:
      "payment-identifier was already used for another payment. Resend that payment, or use a new identifier."
  })

/** Why a payment is not the one that the sale with its authorization was made with; undefined if it is. */
const differs = (sale: Sale, { key, target }: Item, decoded: DecodedPayment): PaymentReused | undefined => {
  const { authorization, signature } = decoded.payment
  if (sale.product_key !== key || sale.read?.target !== target) {
    return new PaymentReused({
      message: `This authorization already paid for ${sale.read?.target ?? sale.product_key}; sign another one for ${target ?? key}.`
    })
  }
  // A failed sale has released its identifier, and does not get it back if its authorization is submitted after all.
  const otherName = sale.payment_id !== null && sale.payment_id !== decoded.paymentId
  return otherName ||
    sale.signature !== signature ||
    sale.valid_after !== authorization.validAfter ||
    sale.valid_before !== authorization.validBefore
    ? new PaymentReused({
        message:
          "Another payment already used this nonce. Resend that payment unchanged, or sign with a new nonce."
      })
    : undefined
}

/** The checks of a payment whose authorization has no sale yet: ours first, then those of the chain. */
const verify = Effect.fnUntraced(function* (
  sales: Sales["Service"],
  port: Settler,
  request: OfferRequest,
  decoded: DecodedPayment,
  version: ReceivedPayment["version"]
) {
  const { item, terms } = request
  const payer = decoded.payment.authorization.from
  const refuse = ({ message, reason }: PaymentRefused) =>
    needed(
      request,
      { reason, message },
      { success: false, transaction: "", network: terms.network, payer, errorReason: reason }
    )
  const offer = offerOf(item, terms).accepts[0]
  if (offer === undefined) return yield* Effect.die(new Error("an offer without a way to pay"))
  const mismatch = matchesOffer(decoded, offer, terms, version)
  if (mismatch !== undefined) return yield* refuse(mismatch)
  if (decoded.paymentId !== undefined) {
    const other = yield* sales.byPaymentId(payer, decoded.paymentId)
    if (other !== undefined) return yield* identifierReused()
  }
  const late = holdsNow(decoded, yield* Clock.currentTimeMillis)
  if (late !== undefined) return yield* refuse(late)
  if ((yield* sales.wasted(payer)) >= mostWasted) {
    return yield* refuse(
      new PaymentRefused({
        reason: "invalid_transaction_state",
        message:
          "Too many settlements of this payer failed on the chain in the last hour. Try again later. Nothing was charged."
      })
    )
  }
  return yield* port.verify(decoded.payment).pipe(
    Effect.catchTags({
      PaymentRefused: (error) => Effect.fail(refuse(error)),
      SettlerUnavailable: ({ message }) => Effect.fail(unavailable(item.key, message))
    })
  )
})

const offered = (name: string): Effect.Effect<ProductKey, NotFound> => {
  const key = offeredKey(name)
  return key === undefined
    ? Effect.fail(
        new NotFound({
          message: `${JSON.stringify(name.slice(0, 60))} is not sold per request. Available: ${soldPerRequest.join(", ")}.`
        })
      )
    : Effect.succeed(key)
}

export class X402 extends Context.Service<
  X402,
  {
    /** The products sold per request, each with its offer or the reason why there is none. */
    readonly list: (baseUrl: string) => Effect.Effect<ReadonlyArray<Listed>>
    /** The same of the paths whose pages are sold. */
    readonly reads: (baseUrl: string) => Effect.Effect<ReadonlyArray<Listed>>
    /** The product of this name, if it is sold per request. */
    readonly offered: (name: string) => Effect.Effect<ProductKey, NotFound>
    /** Payment terms; null if unavailable. */
    readonly terms: Effect.Effect<Terms | null>
    /** Why nothing is sold per request now; undefined if it is. */
    readonly closed: Effect.Effect<string | undefined>
    /** Sells a product for a payment. Without one it fails with the offer. */
    readonly pay: (
      product: string,
      baseUrl: string,
      payment: ReceivedPayment | undefined,
      wish?: Wish
    ) => Effect.Effect<Delivered, X402Refusal | SqlError>
    /**
     * Sells what `build` makes, for a payment. Without one it fails with the offer, and makes nothing. What `build` fails with
     * is the answer then, and nothing is charged.
     */
    readonly sell: <E>(
      item: Item,
      payment: ReceivedPayment | undefined,
      build: (id: string) => Effect.Effect<Built, E>
    ) => Effect.Effect<Delivered, E | SaleRefusal | SqlError>
    /** The last sale of an item to a wallet, while it may be downloaded again; undefined if there is none. */
    readonly boughtBy: (
      item: Item,
      payer: string
    ) => Effect.Effect<Delivered | undefined, SaleRefusal | SqlError>
    /** Resumes interrupted sales, and watches settled ones until no reorganisation can undo them. */
    readonly complete: Effect.Effect<void, SqlError>
  }
>()("core/credits/x402/X402") {
  static readonly layer = Layer.effect(
    X402,
    Effect.gen(function* () {
      const sales = yield* Sales
      const products = yield* Products
      const random = yield* SecureRandom
      const checkpoint = yield* NewestCheckpoint
      const settler = yield* X402Settler
      const scope = yield* Effect.scope
      const terms = yield* WarrantyTerms

      /** The settler and its terms. Fails with the reason if there is none. */
      const open = Effect.fnUntraced(function* (key: SoldKey) {
        if (settler === null) return yield* unavailable(key, notSetUp)
        const terms = yield* settler.terms.pipe(Effect.mapError(({ message }) => unavailable(key, message)))
        return { settler, terms }
      })

      /** Fails where a payment that is made now could not be settled. What was paid before does not ask. */
      const requireGas = Effect.fnUntraced(function* (key: SoldKey) {
        const short = settler === null ? undefined : yield* settler.unfunded
        if (short !== undefined) {
          return yield* new SettlementUnavailable({
            product_key: key,
            message: `${key}: no payment can be settled now, because ${short} Nothing was charged.`
          })
        }
      })

      /** Fails with the reason if the product cannot be delivered. */
      const productOf = Effect.fnUntraced(function* (key: ProductKey) {
        const product = products.get(key)
        return product ?? (yield* unavailable(key, "this product is not available yet."))
      })

      /** Handles a request whose authorization already has a sale. */
      const again = Effect.fnUntraced(function* (
        port: Settler,
        sale: Sale,
        request: OfferRequest,
        decoded: DecodedPayment
      ) {
        const other = differs(sale, request.item, decoded)
        if (other !== undefined) return yield* other
        return yield* answer(sales, yield* conclude(sales, port, sale, scope), request)
      })

      const sell = Effect.fn("X402.sell")(function* <E>(
        item: Item,
        payment: ReceivedPayment | undefined,
        build: (id: string) => Effect.Effect<Built, E>
      ) {
        const { settler: port, terms } = yield* open(item.key)
        const request = { item, terms }
        if (payment === undefined) {
          yield* requireGas(item.key)
          return yield* needed(request)
        }
        const named = payment.version === 2 ? "PAYMENT-SIGNATURE" : "X-PAYMENT"
        const decoded =
          "decoded" in payment
            ? payment.decoded
            : yield* Effect.fromResult(decodePayment(named, payment.header, payment.version))
        const of = identityOf(decoded, request)
        const earlier = yield* sales.find(of)
        // Checked before the offer: a payer who has paid gets the data even if the price has changed since.
        if (earlier !== undefined) return yield* again(port, earlier, request, decoded)
        yield* requireGas(item.key)
        const verified = yield* verify(sales, port, request, decoded, payment.version)
        const id = `x402_${Hex.encode(yield* random.randomBytes(16))}`
        const { payload, read = null, warranted } = yield* build(id)
        const { authorization, signature } = decoded.payment
        const claimed = yield* sales.claim(
          {
            id,
            ...of,
            recipient: authorization.to,
            amount: item.price,
            valid_after: authorization.validAfter,
            valid_before: authorization.validBefore,
            signature,
            payment_id: decoded.paymentId ?? null,
            product_key: item.key,
            read,
            checkpoint: yield* checkpoint,
            since_block: verified.since
          },
          payload,
          warranted
        )
        if (claimed === undefined) {
          const first = yield* sales.find(of)
          if (first !== undefined) return yield* again(port, first, request, decoded)
          return yield* identifierReused()
        }
        const sale = yield* apart(
          verified.settled === undefined
            ? drive(sales, port, claimed)
            : sales.settled(claimed.id, verified.settled),
          scope
        )
        return yield* answer(sales, sale, request)
      })

      const pay = Effect.fn("X402.pay")(function* (
        name: string,
        baseUrl: string,
        payment: ReceivedPayment | undefined,
        { knownAt, minAsOf }: Wish = {}
      ) {
        const product = yield* productOf(yield* offered(name))
        const { build, key } = product
        // Whoever has paid gets what he paid for, so a payment is asked after its sale.
        if (payment === undefined) yield* requireContent(product)
        const item = productItem(key, baseUrl)
        return yield* sell(
          item,
          payment,
          Effect.fnUntraced(function* (id) {
            const inputs = knownAt === undefined ? {} : { as_known_at: knownAt }
            const soldAt = yield* DataClock.now
            yield* requireContent(product)
            const built = yield* build({ id, inputs }).pipe(
              Effect.catchTag(
                ["NotForResale", "ProductUnavailable", "BadParameter", "UnknownSymbol"],
                ({ message }) => Effect.fail(new OfferUnavailable({ product_key: key, message }))
              )
            )
            if (minAsOf !== undefined) yield* requireFresh(key, built, minAsOf)
            const offer = { key, price: item.price, inputs, soldAt, data: built }
            return {
              payload: yield* payloadOf(built),
              warranted: yield* Effect.provideService(warrantedOf(offer), WarrantyTerms, terms)
            }
          })
        )
      })

      const boughtBy = Effect.fn("X402.boughtBy")(function* (item: Item, payer: string) {
        const { terms } = yield* open(item.key)
        const since = new Date((yield* Clock.currentTimeMillis) - deliveredAgainMs)
        const { key: product_key, target } = item
        const of = { network: terms.network, asset: terms.asset.toLowerCase(), payer, product_key, target }
        const sale = yield* sales.lastOf(of, since)
        return sale === undefined ? undefined : yield* answer(sales, sale, { item, terms })
      })

      const listed = (
        item: Item,
        baseUrl: string,
        ready: Effect.Effect<unknown, NotFound | NothingToDeliver | OfferUnavailable>
      ) => {
        const { content, key, price, url } = item
        const of = { key, path: url.slice(baseUrl.length), price: toNumber(price), content }
        return Effect.andThen(ready, Effect.tap(open(key), requireGas(key))).pipe(
          Effect.match({
            onSuccess: ({ terms }): Listed => ({ ...of, offer: offerOf(item, terms) }),
            onFailure: ({ message }): Listed => ({ ...of, reason: message })
          })
        )
      }

      return X402.of({
        offered,

        pay,

        sell,

        boughtBy,

        terms: settler === null ? Effect.succeed(null) : Effect.orElseSucceed(settler.terms, () => null),

        closed:
          settler === null
            ? Effect.succeed(notSetUp)
            : Effect.matchEffect(settler.terms, {
                onSuccess: () => settler.unfunded,
                onFailure: ({ message }) => Effect.succeed(message)
              }),

        list: (baseUrl) =>
          Effect.forEach(soldPerRequest, (key) =>
            listed(productItem(key, baseUrl), baseUrl, Effect.flatMap(productOf(key), requireContent))
          ),

        reads: (baseUrl) =>
          Effect.forEach(readPaths, (path) => listed(readItem(path, baseUrl), baseUrl, Effect.void)),

        complete: Effect.gen(function* () {
          if (settler === null) return
          yield* Effect.forEach(yield* sales.abandoned, (id) => resume(sales, settler, id), { discard: true })
          yield* Effect.forEach(yield* sales.notFinal, (sale) => watch(sales, settler, sale), {
            discard: true
          })
        }).pipe(Effect.withSpan("X402.complete"))
      })
    })
  ).pipe(Layer.provide(Sales.layer))
}
