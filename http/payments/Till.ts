/** Takes a payment of a request, by x402 of both versions or by MPP, and answers with what was sold or with the offer. */
import { Clock, Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql/SqlError"
import { testMark } from "../../core/credits/keys/KeyMode.ts"
import { promiseOf, WarrantyTerms } from "../../core/credits/warranty/terms.ts"
import type { Item } from "../../core/credits/x402/offer.ts"
import {
  type Delivered,
  SettlementPending as Open,
  PaymentNeeded
} from "../../core/credits/x402/saleRecord.ts"
import { bodyAccepts, type PaymentRequired as Offer } from "../../core/credits/x402/wire.ts"
import { type ReceivedPayment, type SaleRefusal, X402 } from "../../core/credits/x402/X402.ts"
import { PaymentMalformed, PaymentRequired, SettlementPending } from "../../core/wire/problems/x402.ts"
import { authorityOf, HttpSettings } from "../HttpSettings.ts"
import { respond } from "../problems/fromRequest.ts"
import { Signer } from "../signing/Signer.ts"
import { challengeFor, isCredential, readCredential, receiptHeader } from "./challenge.ts"
import { makeDiscovery } from "./discovery.ts"
import { offerHeader, settlementHeaders } from "./headerRoom.ts"
import { howToPay } from "./howToPay.ts"
import { receiptExtension, type SignedSale, signedOffers, signedPromise, signedSale } from "./signedOffers.ts"
import { signInOffer, verifySignIn } from "./signIn.ts"

/** What a request buys, and how it is sold and delivered. */
export interface Sold<E> {
  readonly item: Item
  /** Path of what is paid for; of a read with its query. */
  readonly path: string
  /** True if the offer goes into the body alone, as version 1 has it. */
  readonly offerInBody: boolean
  /** Without a payment it fails with the offer. */
  readonly pay: (payment: ReceivedPayment | undefined) => Effect.Effect<Delivered, E | SaleRefusal | SqlError>
  readonly deliver: (delivered: Delivered, signed: SignedSale) => Delivery
}

/** What a sale may fail with that is a problem of the API already. */
type Refused = Exclude<SaleRefusal, Open | PaymentNeeded>

interface Delivery {
  readonly response: HttpServerResponse.HttpServerResponse
  /** Extensions of the settlement beside the receipt. */
  readonly extensions?: Readonly<Record<string, object>>
}

/** Sales must not be cached. */
const noStore = { "cache-control": "private, no-store" }

const reply = (
  status: 402 | 503,
  problem: PaymentRequired | SettlementPending,
  headers: Record<string, string>
) => Effect.map(respond(problem, { ...noStore, ...headers }), HttpServerResponse.setStatus(status))

/** The payment of a request. Fails if it carries more than one. */
const paymentIn = Effect.fnUntraced(function* (headers: Readonly<Record<string, string | undefined>>) {
  const { authorization, "payment-signature": v2, "x-payment": v1 } = headers
  const credential = isCredential(authorization) ? authorization : undefined
  if ([v2, v1, credential].filter((one) => one !== undefined).length > 1) {
    return yield* new PaymentMalformed({
      message:
        "Send one payment: PAYMENT-SIGNATURE, X-PAYMENT or an Authorization of the scheme Payment. Nothing was charged.",
      field: v2 === undefined ? "X-PAYMENT" : "PAYMENT-SIGNATURE"
    })
  }
  const version: 1 | 2 | undefined = v1 === undefined ? (v2 === undefined ? undefined : 2) : 1
  return { credential, version, header: v2 ?? v1 }
})

export class Till extends Context.Service<
  Till,
  {
    /** The answer to the current request: what was sold, our offer, or that the outcome is not known yet. */
    readonly take: <E>(
      sold: Sold<E>
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      E | Refused | SqlError,
      HttpServerRequest.HttpServerRequest
    >
  }
>()("http/payments/Till") {
  static readonly layer = Layer.effect(
    Till,
    Effect.gen(function* () {
      const x402 = yield* X402
      const settings = yield* HttpSettings
      const { baseUrl } = settings
      const signer = yield* Signer
      const realm = authorityOf(baseUrl)
      const discovery = makeDiscovery(baseUrl)
      const warranty = yield* WarrantyTerms

      /** Our offer with what the extensions of x402 say of it. */
      const extended = (required: Offer, { key }: Item, now: number): Offer => {
        const network = required.accepts[0]?.network ?? ""
        return {
          ...required,
          extensions: {
            ...required.extensions,
            ...signedOffers(required, baseUrl, signer.key(now), now),
            ...signedPromise(required, settings, promiseOf(warranty, key), signer.key(now), now),
            ...discovery(key),
            ...signInOffer(required.resource.url, network, signer.key, now)
          }
        }
      }

      /** A sale paid by a credential of MPP. */
      const byCredential = Effect.fnUntraced(function* <E>(credential: string, { path, pay }: Sold<E>) {
        const terms = yield* x402.terms
        const read = yield* Effect.fromResult(
          readCredential(credential, path, realm, terms?.network ?? "", signer.key)
        )
        if ("decoded" in read) return yield* pay({ version: 2, decoded: read.decoded })
        return yield* Effect.catch(pay(undefined), (error) =>
          Effect.fail(
            error instanceof PaymentNeeded
              ? new PaymentNeeded({
                  price: error.price,
                  required: error.required,
                  reason: "invalid_challenge",
                  message: read.refused
                })
              : error
          )
        )
      })

      /** What the wallet that signed in bought; undefined if nobody signed in, or that wallet bought nothing. */
      const bySignIn = Effect.fnUntraced(function* <E>(header: string | undefined, { item }: Sold<E>) {
        const terms = header === undefined ? null : yield* x402.terms
        if (header === undefined || terms === null) return undefined
        const now = yield* Clock.currentTimeMillis
        const payer = yield* verifySignIn(header, item.url, terms.network, signer.key, now)
        return yield* x402.boughtBy(item, payer)
      })

      const offered = Effect.fnUntraced(function* <E>(
        error: PaymentNeeded,
        version: 1 | 2 | undefined,
        { item, offerInBody, path }: Sold<E>
      ) {
        const { message, price, reason, settlement } = error
        const now = yield* Clock.currentTimeMillis
        const required = extended(error.required, item, now)
        const [offer] = required.accepts
        const terms = yield* x402.terms
        const problem = new PaymentRequired({
          message,
          ...testMark(settings.testMode.keys),
          ...(reason === undefined ? {} : { reason }),
          price_usd: price,
          x402Version: 2,
          resource: required.resource,
          accepts: bodyAccepts(required, terms),
          extensions: required.extensions,
          how_to_pay: howToPay(price, terms)
        })
        const headers = {
          ...noStore,
          ...(offer === undefined
            ? {}
            : { "www-authenticate": challengeFor(offer, path, realm, signer.key, now) }),
          ...(settlement === undefined ? {} : settlementHeaders(version, settlement, {}, {}))
        }
        if (!offerInBody) {
          return yield* reply(402, problem, { ...headers, ...offerHeader(required, headers) })
        }
        // A client that sees the header assumes version 2, whatever the body says.
        const { extensions, resource, ...fields } = problem
        return HttpServerResponse.jsonUnsafe(
          { ...fields, message, error: required.error, x402Version: 1, status: 402 },
          { status: 402, headers, contentType: "application/problem+json" }
        )
      })

      const pending = ({ message, retry_after, settlement, transaction }: Open, version: 1 | 2 | undefined) =>
        reply(
          503,
          new SettlementPending({
            message,
            ...(transaction === undefined ? {} : { transaction }),
            retry_after
          }),
          { "retry-after": String(retry_after), ...settlementHeaders(version, settlement, {}, {}) }
        )

      return Till.of({
        take: Effect.fn("Till.take")(function* <E>(sold: Sold<E>) {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { headers, method } = request
          const { credential, header, version } = yield* paymentIn(headers)
          const paid = Effect.gen(function* () {
            // HEAD has no body to deliver, so it never takes a payment.
            if (method === "HEAD") return yield* sold.pay(undefined)
            if (credential !== undefined) return yield* byCredential(credential, sold)
            if (header !== undefined) return yield* sold.pay({ version: version ?? 2, header })
            return (yield* bySignIn(headers["sign-in-with-x"], sold)) ?? (yield* sold.pay(undefined))
          })
          const delivered = Effect.map(paid, (delivered) => {
            const { head, settlement } = delivered
            const signed = signedSale(head, settings, signer.key(Date.parse(head.purchased_at)), sold.item)
            const { extensions, response } = sold.deliver(delivered, signed)
            const receipt: Record<string, string> =
              credential === undefined
                ? {}
                : { "payment-receipt": receiptHeader(settlement, head.purchased_at) }
            const all = { ...receiptExtension(signed.receipt), ...extensions }
            return HttpServerResponse.setHeaders(response, {
              ...noStore,
              ...receipt,
              ...settlementHeaders(version, settlement, all, receipt)
            })
          })
          return yield* delivered.pipe(
            Effect.catch((error) => {
              if (error instanceof PaymentNeeded) return offered(error, version, sold)
              return error instanceof Open ? pending(error, version) : Effect.fail(error)
            })
          )
        })
      })
    })
  )
}
