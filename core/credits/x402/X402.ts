/**
 * Payment per request: an offer, a signed authorization, the data. The steps in order: local checks; the result of an
 * earlier request with the same authorization; the chain; the payload; the claim; settlement; delivery. An unknown outcome
 * is never reported as a failure, because a client that hears "failed" would sign again and pay twice.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import type { SqlError } from "effect/sql/SqlError"
import { type ProductKey, productOf, soldPerRequest } from "../../products/index.ts"
import type { DataTooOld } from "../../wire/problems/purchases.ts"
import { NotFound } from "../../wire/problems/request.ts"
import {
  type DeliveryOver,
  OfferUnavailable,
  type PaymentMalformed,
  PaymentReused
} from "../../wire/problems/x402.ts"
import { toNumber } from "../Money.ts"
import { requireFresh } from "../minAsOf.ts"
import { NewestCheckpoint } from "../NewestCheckpoint.ts"
import { Products } from "../Product.ts"
import { payloadOf } from "../payload.ts"
import { priceOf } from "../pricing.ts"
import { answer, deliveredAgainMs, needed, type OfferRequest } from "./answers.ts"
import { holdsNow, matchesOffer } from "./check.ts"
import { offeredKey, offerOf, pathOf } from "./offer.ts"
import { Sales } from "./Sales.ts"
import { PaymentRefused, type Settler, type Terms, X402Settler } from "./Settler.ts"
import type { Delivered, PaymentNeeded, Sale, SettlementPending } from "./saleRecord.ts"
import { apart, conclude, drive, resume, watch } from "./settlements.ts"
import { type DecodedPayment, decodePayment, type PaymentRequired } from "./wire.ts"

export type X402Refusal =
  | DataTooOld
  | DeliveryOver
  | NotFound
  | OfferUnavailable
  | PaymentMalformed
  | PaymentNeeded
  | PaymentReused
  | SettlementPending

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

/** One product of the catalog. */
export interface Listed {
  readonly key: ProductKey
  readonly path: string
  readonly price: number
  readonly content: string
  /** Absent if the product is unavailable now. */
  readonly offer?: PaymentRequired
  readonly reason?: string
}

/** How many settlements of one payer may fail on the chain per hour. */
const mostWasted = 3

const unavailable = (key: ProductKey, why: string) =>
  new OfferUnavailable({ product_key: key, message: `${key}: ${why} Nothing was charged.` })

const notSetUp = "payment per request is not configured on this service."

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
const differs = (sale: Sale, key: ProductKey, decoded: DecodedPayment): PaymentReused | undefined => {
  const { authorization, signature } = decoded.payment
  if (sale.product_key !== key) {
    return new PaymentReused({
      message: `This authorization already paid for ${sale.product_key}; sign another one for ${key}.`
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
  const { baseUrl, key, terms } = request
  const payer = decoded.payment.authorization.from
  const refuse = ({ message, reason }: PaymentRefused) =>
    needed(
      request,
      { reason, message },
      { success: false, transaction: "", network: terms.network, payer, errorReason: reason }
    )
  const offer = offerOf(key, terms, baseUrl).accepts[0]
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
      SettlerUnavailable: ({ message }) => Effect.fail(unavailable(key, message))
    })
  )
})

export class X402 extends Context.Service<
  X402,
  {
    /** The products sold per request, each with its offer or the reason why there is none. */
    readonly list: (baseUrl: string) => Effect.Effect<ReadonlyArray<Listed>>
    /** Payment terms; null if unavailable. */
    readonly terms: Effect.Effect<Terms | null>
    /** Sells a product for a payment. Without one it fails with the offer. */
    readonly pay: (
      product: string,
      baseUrl: string,
      payment: ReceivedPayment | undefined,
      wish?: Wish
    ) => Effect.Effect<Delivered, X402Refusal | SqlError>
    /** The last sale of a product to a wallet, while it may be downloaded again; undefined if there is none. */
    readonly boughtBy: (
      product: string,
      baseUrl: string,
      payer: string
    ) => Effect.Effect<Delivered | undefined, X402Refusal | SqlError>
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

      /** The product, settler and terms. Fails with the reason if one is missing. */
      const open = Effect.fnUntraced(function* (key: ProductKey) {
        const product = products.get(key)
        if (product === undefined) return yield* unavailable(key, "this product is not available yet.")
        if (settler === null) return yield* unavailable(key, notSetUp)
        const terms = yield* settler.terms.pipe(Effect.mapError(({ message }) => unavailable(key, message)))
        return { product, settler, terms }
      })

      /** Handles a request whose authorization already has a sale. */
      const again = Effect.fnUntraced(function* (
        port: Settler,
        sale: Sale,
        request: OfferRequest,
        decoded: DecodedPayment
      ) {
        const other = differs(sale, request.key, decoded)
        if (other !== undefined) return yield* other
        return yield* answer(sales, yield* conclude(sales, port, sale, scope), request)
      })

      const pay = Effect.fn("X402.pay")(function* (
        name: string,
        baseUrl: string,
        payment: ReceivedPayment | undefined,
        { knownAt, minAsOf }: Wish = {}
      ) {
        const key = offeredKey(name)
        if (key === undefined) {
          return yield* new NotFound({
            message: `${JSON.stringify(name.slice(0, 60))} is not sold per request. Available: ${soldPerRequest.join(", ")}.`
          })
        }
        const { product, settler: port, terms } = yield* open(key)
        const request = { key, terms, baseUrl }
        if (payment === undefined) return yield* needed(request)
        const named = payment.version === 2 ? "PAYMENT-SIGNATURE" : "X-PAYMENT"
        const decoded =
          "decoded" in payment
            ? payment.decoded
            : yield* Effect.fromResult(decodePayment(named, payment.header, payment.version))
        const of = identityOf(decoded, request)
        const earlier = yield* sales.find(of)
        // Checked before the offer: a payer who has paid gets the data even if the price has changed since.
        if (earlier !== undefined) return yield* again(port, earlier, request, decoded)
        const verified = yield* verify(sales, port, request, decoded, payment.version)
        const id = `x402_${Hex.encode(yield* random.randomBytes(16))}`
        const built = yield* product
          .build({ id, inputs: knownAt === undefined ? {} : { as_known_at: knownAt } })
          .pipe(
            Effect.catchTag(
              ["NotForResale", "ProductUnavailable", "BadParameter", "UnknownSymbol"],
              ({ message }) => Effect.fail(new OfferUnavailable({ product_key: key, message }))
            )
          )
        if (minAsOf !== undefined) yield* requireFresh(key, built, minAsOf)
        const payload = yield* payloadOf(built)
        const { authorization, signature } = decoded.payment
        const claimed = yield* sales.claim(
          {
            id,
            ...of,
            recipient: authorization.to,
            amount: priceOf(key),
            valid_after: authorization.validAfter,
            valid_before: authorization.validBefore,
            signature,
            payment_id: decoded.paymentId ?? null,
            product_key: key,
            checkpoint: yield* checkpoint,
            since_block: verified.since
          },
          payload
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

      const boughtBy = Effect.fn("X402.boughtBy")(function* (name: string, baseUrl: string, payer: string) {
        const key = offeredKey(name)
        if (key === undefined) return undefined
        const { terms } = yield* open(key)
        const since = new Date((yield* Clock.currentTimeMillis) - deliveredAgainMs)
        const of = { network: terms.network, asset: terms.asset.toLowerCase(), payer, product_key: key }
        const sale = yield* sales.lastOf(of, since)
        return sale === undefined ? undefined : yield* answer(sales, sale, { key, terms, baseUrl })
      })

      return X402.of({
        pay,

        boughtBy,

        terms: settler === null ? Effect.succeed(null) : Effect.orElseSucceed(settler.terms, () => null),

        list: Effect.fnUntraced(function* (baseUrl) {
          return yield* Effect.forEach(soldPerRequest, (key) =>
            Effect.gen(function* () {
              const { content } = productOf(key).sale
              const price = priceOf(key)
              const listed = { key, path: pathOf(key), price: toNumber(price), content }
              return yield* open(key).pipe(
                Effect.match({
                  onSuccess: ({ terms }): Listed => ({ ...listed, offer: offerOf(key, terms, baseUrl) }),
                  onFailure: ({ message }): Listed => ({ ...listed, reason: message })
                })
              )
            })
          )
        }),

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
