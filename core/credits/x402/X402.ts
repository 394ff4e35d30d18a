/**
 * Payment per request: an offer, a signed authorization, the data. The steps in order: local checks; the result of an
 * earlier request with the same authorization; the chain; the payload; the claim; settlement; delivery. An unknown outcome
 * is never reported as a failure, because a client that hears "failed" would sign again and pay twice.
 */
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import type { SqlError } from "effect/sql/SqlError"
import { NotFound } from "../../wire/problems/request.ts"
import {
  DeliveryOver,
  OfferUnavailable,
  type PaymentMalformed,
  PaymentReused
} from "../../wire/problems/x402.ts"
import { type ProductKey, soldPerRequest } from "../../wire/products/keys.ts"
import { format, toNumber } from "../Money.ts"
import { NewestCheckpoint } from "../NewestCheckpoint.ts"
import { Products } from "../Product.ts"
import { payloadOf, withData } from "../payload.ts"
import { catalog } from "../pricing.ts"
import { holdsNow, matchesOffer } from "./check.ts"
import { offeredKey, offerOf, pathOf } from "./offer.ts"
import { Sales } from "./Sales.ts"
import {
  type Outcome,
  PaymentRefused,
  type Sent as SentTransaction,
  type Settler,
  type Terms,
  X402Settler
} from "./Settler.ts"
import {
  type Delivered,
  headOf,
  PaymentNeeded,
  paymentOf,
  type Sale,
  SettlementPending,
  sentOf
} from "./saleRecord.ts"
import { decodePayment, type PaymentRequired, type Settlement, type Told } from "./wire.ts"

export type X402Refusal =
  | DeliveryOver
  | NotFound
  | OfferUnavailable
  | PaymentMalformed
  | PaymentNeeded
  | PaymentReused
  | SettlementPending

/** A payment as received. */
export interface Sent {
  readonly version: 1 | 2
  readonly header: string
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

/** Seconds until a client should retry while settlement is pending. */
const retryAfter = 5
/** How long a request waits for another one that is driving the same sale. */
const patience = { times: 75, every: "200 millis" } as const
/** How long the same authorization gets the data again. Limited, because the chain shows it to everyone. */
const deliveredAgainMs = 24 * 60 * 60 * 1000
/** How many settlements of one payer may fail on the chain per hour. */
const mostWasted = 3

const unavailable = (key: ProductKey, why: string) =>
  new OfferUnavailable({ product_key: key, message: `${key}: ${why} Nothing was charged.` })

const notSetUp = "payment per request is not configured on this service."

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
      sent: Sent | undefined
    ) => Effect.Effect<Delivered, X402Refusal | SqlError>
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

      const needed = (
        key: ProductKey,
        terms: Terms,
        baseUrl: string,
        refused?: { readonly reason: string; readonly message: string },
        settlement?: Settlement
      ) =>
        new PaymentNeeded({
          message:
            refused?.message ??
            `${key} costs ${format(catalog[key].price)} USD. Send a payment in the PAYMENT-SIGNATURE header.`,
          ...(refused === undefined ? {} : { reason: refused.reason }),
          price: toNumber(catalog[key].price),
          required: offerOf(key, terms, baseUrl, refused?.reason),
          ...(settlement === undefined ? {} : { settlement })
        })

      const settlementOf = (sale: Sale): Settlement => ({
        success: sale.state === "settled",
        transaction: sale.tx ?? "",
        network: sale.network,
        payer: sale.payer,
        amount: sale.amount.toString()
      })

      const pending = (sale: Sale) =>
        new SettlementPending({
          message:
            "It is not yet known whether the payment settled. Send the same request with the same header again: it " +
            "cannot pay twice. Do not sign another payment.",
          ...(sale.tx === null ? {} : { transaction: sale.tx }),
          retry_after: retryAfter,
          settlement: { ...settlementOf(sale), success: false, errorReason: "settlement_pending" }
        })

      /** The result of a closed sale; fails as pending if it is still open. */
      const answer = Effect.fnUntraced(function* (sale: Sale, terms: Terms, baseUrl: string) {
        if (sale.state === "settled" && sale.settled_at !== null && sale.tx !== null) {
          if ((yield* Clock.currentTimeMillis) > sale.settled_at.getTime() + deliveredAgainMs) {
            return yield* new DeliveryOver({
              message:
                "This authorization paid for a sale that could be downloaded for 24 hours, and that time is over."
            })
          }
          const data = yield* sales.payload(sale.payload_sha256)
          return {
            body: withData(headOf(sale, sale.settled_at, sale.tx), data),
            settlement: settlementOf(sale)
          } satisfies Delivered
        }
        if (sale.state === "failed") {
          const reason = sale.reason ?? "unexpected_settle_error"
          const message = sale.message ?? "The settlement failed. Nothing was charged."
          return yield* needed(
            sale.product_key,
            terms,
            baseUrl,
            { reason, message },
            { ...settlementOf(sale), transaction: "", errorReason: reason }
          )
        }
        return yield* pending(sale)
      })

      /** Stores the outcome of a sale. */
      const finish = Effect.fnUntraced(function* (sale: Sale, outcome: Outcome) {
        switch (outcome.kind) {
          case "settled":
            return yield* sales.settled(sale.id, outcome.transaction)
          case "failed":
            return yield* sales.failed(sale.id, outcome.reason, outcome.message)
          case "unknown": {
            yield* sales.release(sale.id)
            return outcome.transaction === undefined ? sale : { ...sale, tx: outcome.transaction }
          }
        }
      })

      const sendingOf = (sale: Sale) => (sent: SentTransaction | undefined) => sales.sending(sale.id, sent)

      /** Continues a sale whose lease we hold. */
      const drive = Effect.fn("X402.drive")(function* (port: Settler, sale: Sale) {
        const outcome: Outcome =
          sale.state === "reserved"
            ? yield* port
                .settle(paymentOf(sale), sale.since_block, sendingOf(sale))
                .pipe(
                  Effect.catchTag("SettlerUnavailable", () => Effect.succeed<Outcome>({ kind: "unknown" }))
                )
            : yield* port.follow(paymentOf(sale), sale.since_block, sentOf(sale), sendingOf(sale))
        return yield* finish(sale, outcome)
      })

      /** Runs in the scope of the service, so a disconnecting client does not interrupt its payment. */
      const apart = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.flatMap(Effect.forkIn(effect, scope), Fiber.join)

      /** Handles a request whose authorization already has a sale. */
      const again = Effect.fnUntraced(function* (
        port: Settler,
        found: Sale,
        key: ProductKey,
        told: Told,
        terms: Terms,
        baseUrl: string
      ) {
        const { authorization, signature } = told.payment
        if (found.product_key !== key) {
          return yield* new PaymentReused({
            message: `This authorization already paid for ${found.product_key}; sign another one for ${key}.`
          })
        }
        // A failed sale has released its identifier, and does not get it back if its authorization is submitted after all.
        const otherName = found.payment_id !== null && found.payment_id !== told.paymentId
        if (
          otherName ||
          found.signature !== signature ||
          found.valid_after !== authorization.validAfter ||
          found.valid_before !== authorization.validBefore
        ) {
          return yield* new PaymentReused({
            message:
              "Another payment already used this nonce. Resend that payment unchanged, or sign with a new nonce."
          })
        }
        if (found.state === "failed") {
          // Anyone can still submit the authorization and move the money.
          const outcome = yield* port.follow(paymentOf(found), found.since_block, undefined)
          const sale =
            outcome.kind === "settled" ? yield* sales.settled(found.id, outcome.transaction) : found
          return yield* answer(sale, terms, baseUrl)
        }
        let sale = found
        for (let waited = 0; sale.state === "reserved" || sale.state === "settling"; waited++) {
          const ours = yield* sales.lease(sale.id)
          if (ours !== undefined) return yield* answer(yield* apart(drive(port, ours)), terms, baseUrl)
          if (waited >= patience.times) return yield* pending(sale)
          yield* Effect.sleep(patience.every)
          sale = (yield* sales.find(sale)) ?? sale
        }
        return yield* answer(sale, terms, baseUrl)
      })

      const pay = Effect.fn("X402.pay")(function* (name: string, baseUrl: string, sent: Sent | undefined) {
        const key = offeredKey(name)
        if (key === undefined) {
          return yield* new NotFound({
            message: `${JSON.stringify(name.slice(0, 60))} is not sold per request. Available: ${soldPerRequest.join(", ")}.`
          })
        }
        const { product, settler: port, terms } = yield* open(key)
        if (sent === undefined) return yield* needed(key, terms, baseUrl)
        const named = sent.version === 2 ? "PAYMENT-SIGNATURE" : "X-PAYMENT"
        const told = yield* Effect.fromResult(decodePayment(named, sent.header, sent.version))
        const refuse = ({ message, reason }: PaymentRefused) =>
          needed(
            key,
            terms,
            baseUrl,
            { reason, message },
            {
              success: false,
              transaction: "",
              network: terms.network,
              payer: told.payment.authorization.from,
              errorReason: reason
            }
          )
        const { price } = catalog[key]
        const offer = offerOf(key, terms, baseUrl).accepts[0]
        if (offer === undefined) return yield* Effect.die(new Error("an offer without a way to pay"))
        const { authorization, signature } = told.payment
        const of = {
          network: terms.network,
          asset: terms.asset.toLowerCase(),
          payer: authorization.from,
          nonce: authorization.nonce
        }
        const earlier = yield* sales.find(of)
        // Checked before the offer: a payer who has paid gets the data even if the price has changed since.
        if (earlier !== undefined) return yield* again(port, earlier, key, told, terms, baseUrl)
        const mismatch = matchesOffer(told, offer, terms, sent.version)
        if (mismatch !== undefined) return yield* refuse(mismatch)
        if (told.paymentId !== undefined) {
          const other = yield* sales.byPaymentId(of.payer, told.paymentId)
          if (other !== undefined) {
            return yield* new PaymentReused({
              message:
                "payment-identifier was already used for another payment. Resend that payment, or use a new identifier."
            })
          }
        }
        const late = holdsNow(told, yield* Clock.currentTimeMillis)
        if (late !== undefined) return yield* refuse(late)
        if ((yield* sales.wasted(of.payer)) >= mostWasted) {
          return yield* refuse(
            new PaymentRefused({
              reason: "invalid_transaction_state",
              message:
                "Too many settlements of this payer failed on the chain in the last hour. Try again later. Nothing was charged."
            })
          )
        }
        const verified = yield* port.verify(told.payment).pipe(
          Effect.catchTags({
            PaymentRefused: (error) => Effect.fail(refuse(error)),
            SettlerUnavailable: ({ message }) => Effect.fail(unavailable(key, message))
          })
        )
        const id = `x402_${Hex.encode(yield* random.randomBytes(16))}`
        const built = yield* product
          .build({ id, inputs: {} })
          .pipe(Effect.mapError(({ message }) => new OfferUnavailable({ product_key: key, message })))
        const payload = yield* payloadOf(built)
        const claimed = yield* sales.claim(
          {
            id,
            ...of,
            recipient: authorization.to,
            amount: price,
            valid_after: authorization.validAfter,
            valid_before: authorization.validBefore,
            signature,
            payment_id: told.paymentId ?? null,
            product_key: key,
            checkpoint: yield* checkpoint,
            since_block: verified.since
          },
          payload
        )
        if (claimed === undefined) {
          const first = yield* sales.find(of)
          if (first !== undefined) return yield* again(port, first, key, told, terms, baseUrl)
          return yield* new PaymentReused({
            message:
              "payment-identifier was already used for another payment. Resend that payment, or use a new identifier."
          })
        }
        const sale = yield* apart(
          verified.settled === undefined ? drive(port, claimed) : sales.settled(claimed.id, verified.settled)
        )
        return yield* answer(sale, terms, baseUrl)
      })

      /** Resumes an interrupted sale. One that was never submitted waits for its payer until it expires. */
      const resume = Effect.fnUntraced(function* (port: Settler, id: string) {
        const sale = yield* sales.lease(id)
        if (sale === undefined) return
        const outcome = yield* port.follow(
          paymentOf(sale),
          sale.since_block,
          sentOf(sale),
          sale.state === "settling" ? sendingOf(sale) : undefined
        )
        yield* finish(sale, outcome)
      })

      const watch = Effect.fnUntraced(
        function* (port: Settler, sale: Sale) {
          if (sale.tx === null) return
          const standing = yield* port.standing(sale.tx)
          if (standing === "final") return yield* sales.final(sale.id)
          if (standing === "included") return
          const outcome = yield* port.follow(paymentOf(sale), sale.since_block, sentOf(sale), sendingOf(sale))
          if (outcome.kind !== "failed") return
          yield* Effect.logError("a reorganisation undid a settled sale for good", { sale: sale.id })
          yield* sales.lost(sale.id, sale.amount)
        },
        Effect.catchTag("SettlerUnavailable", () => Effect.void)
      )

      return X402.of({
        pay,

        terms: settler === null ? Effect.succeed(null) : Effect.orElseSucceed(settler.terms, () => null),

        list: Effect.fnUntraced(function* (baseUrl) {
          return yield* Effect.forEach(soldPerRequest, (key) =>
            Effect.gen(function* () {
              const { content, price } = catalog[key]
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
          yield* Effect.forEach(yield* sales.abandoned, (id) => resume(settler, id), { discard: true })
          yield* Effect.forEach(yield* sales.notFinal, (sale) => watch(settler, sale), { discard: true })
        }).pipe(Effect.withSpan("X402.complete"))
      })
    })
  ).pipe(Layer.provide(Sales.layer))
}
