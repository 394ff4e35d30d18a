import { Clock, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { readMinAsOf } from "../../core/credits/minAsOf.ts"
import { withData } from "../../core/credits/payload.ts"
import type { Terms } from "../../core/credits/x402/Settler.ts"
import { PaymentNeeded } from "../../core/credits/x402/saleRecord.ts"
import { bodyAccepts, encodeHeader, type PaymentRequired as Offer } from "../../core/credits/x402/wire.ts"
import { type Wish, X402, type X402Refusal } from "../../core/credits/x402/X402.ts"
import { LogKey } from "../../core/log/Log.ts"
import { readKnownAt } from "../../core/readings/read/asKnownAt.ts"
import type { HowToPay } from "../../core/wire/credits/x402.ts"
import { PaymentMalformed, PaymentRequired, SettlementPending } from "../../core/wire/problems/x402.ts"
import { Api } from "../api/Api.ts"
import { authorityOf, HttpSettings } from "../HttpSettings.ts"
import { Documents } from "../pages/docs/Documents.ts"
import { challengeFor, isCredential, readCredential, receiptHeader } from "../payments/challenge.ts"
import { makeDiscovery } from "../payments/discovery.ts"
import { didDocument, payeeStatement } from "../payments/identity.ts"
import { receiptExtension, signedOffers, signedReceipt } from "../payments/signedOffers.ts"
import { signInOffer, verifySignIn } from "../payments/signIn.ts"
import { orProblem } from "../problems/fromCore.ts"
import { respond } from "../problems/fromRequest.ts"
import { Signer } from "../signing/Signer.ts"

/** Sales must not be cached. */
const noStore = { "cache-control": "private, no-store" }

/** How mppx is told of the token; without it, its client does not sign. */
const mppxCharge = ({ name, version }: Terms["domain"]): string =>
  `evm.charge({ account, authorization: { name: ${JSON.stringify(name)}, version: ${JSON.stringify(version)} } })`

const howToPay = (price: number, terms: Terms | null): typeof HowToPay.Type => ({
  steps: [
    "Sign accepts[0] as an EIP-712 TransferWithAuthorization (EIP-3009) with a new nonce. @x402/fetch with ExactEvmScheme of @x402/evm does this for you.",
    "Repeat the GET with the base64-encoded PaymentPayload in PAYMENT-SIGNATURE.",
    "Read the data from the body and the settlement from PAYMENT-RESPONSE."
  ],
  spending_cap:
    price <= 1
      ? "No change needed: by default @x402/core allows payments of up to 1 USD."
      : `By default @x402/core allows payments of up to 1 USD. Raise the limit with client.setSpendControls({ maxAmountPerPayment: "$${price}" }), or set spendControls: false in its configuration.`,
  retry:
    "After a dropped connection or a 503 settlement_pending, send the same request with the same header again: it returns the data and never pays twice. Do not sign again.",
  mpp: {
    method: "evm",
    intent: "charge",
    steps: [
      "Read the challenge of the scheme Payment in WWW-Authenticate.",
      `Sign the same EIP-3009 authorization, with the hash (keccak-256) of the challenge's id and realm as nonce.${terms === null ? "" : ` ${mppxCharge(terms.domain)} of mppx does this for you.`}`,
      "Repeat the GET with the credential in Authorization, instead of PAYMENT-SIGNATURE, and read the settlement from Payment-Receipt."
    ]
  }
})

const reply = (
  status: 402 | 503,
  problem: PaymentRequired | SettlementPending,
  headers: Record<string, string>
) => Effect.map(respond(problem, { ...noStore, ...headers }), HttpServerResponse.setStatus(status))

const settled = (version: 1 | 2 | undefined, settlement: object): Record<string, string> => {
  const value = encodeHeader(settlement)
  return { "payment-response": value, ...(version === 1 ? { "x-payment-response": value } : {}) }
}

export const layer = HttpApiBuilder.group(
  Api,
  "x402",
  Effect.fn(function* (handlers) {
    const x402 = yield* X402
    const documents = yield* Documents
    const settings = yield* HttpSettings
    const { baseUrl } = settings
    const signer = yield* Signer
    const realm = authorityOf(baseUrl)
    const discovery = makeDiscovery(baseUrl)

    /** Our offer with what the extensions of x402 say of it. */
    const extended = (required: Offer, product: string, now: number): Offer => {
      const network = required.accepts[0]?.network ?? ""
      return {
        ...required,
        extensions: {
          ...required.extensions,
          ...signedOffers(required, signer.key(now), now),
          ...discovery(product),
          ...signInOffer(required.resource.url, network, signer.key, now)
        }
      }
    }

    /** A sale paid by a credential of MPP. */
    const byCredential = Effect.fnUntraced(function* (
      credential: string,
      product: string,
      path: string,
      wish: Wish
    ) {
      const terms = yield* x402.terms
      const read = yield* Effect.fromResult(
        readCredential(credential, path, realm, terms?.network ?? "", signer.key)
      )
      if ("decoded" in read)
        return yield* x402.pay(product, baseUrl, { version: 2, decoded: read.decoded }, wish)
      return yield* x402
        .pay(product, baseUrl, undefined)
        .pipe(
          Effect.catchTag("PaymentNeeded", ({ price, required }) =>
            Effect.fail(
              new PaymentNeeded({ price, required, reason: "invalid_challenge", message: read.refused })
            )
          )
        )
    })

    /** What the wallet that signed in bought; undefined if nobody signed in, or that wallet bought nothing. */
    const bySignIn = Effect.fnUntraced(function* (header: string | undefined, product: string, path: string) {
      const terms = header === undefined ? null : yield* x402.terms
      if (header === undefined || terms === null) return undefined
      const now = yield* Clock.currentTimeMillis
      const payer = yield* verifySignIn(header, `${baseUrl}${path}`, terms.network, signer.key, now)
      return yield* x402.boughtBy(product, baseUrl, payer)
    })

    const refused = Effect.fnUntraced(function* (
      error: X402Refusal,
      version: 1 | 2 | undefined,
      asV1: boolean,
      path: string
    ) {
      switch (error._tag) {
        case "PaymentNeeded": {
          const { message, price, reason, settlement } = error
          const now = yield* Clock.currentTimeMillis
          const required = extended(error.required, path.slice(path.lastIndexOf("/") + 1), now)
          const [offer] = required.accepts
          const terms = yield* x402.terms
          const problem = new PaymentRequired({
            message,
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
            ...(settlement === undefined ? {} : settled(version, settlement))
          }
          if (!asV1) {
            return yield* reply(402, problem, { ...headers, "payment-required": encodeHeader(required) })
          }
          // A client that sees the header assumes version 2, whatever the body says.
          const { extensions, resource, ...fields } = problem
          return HttpServerResponse.jsonUnsafe(
            { ...fields, message, error: required.error, x402Version: 1, status: 402 },
            { status: 402, headers, contentType: "application/problem+json" }
          )
        }
        case "SettlementPending": {
          const { message, retry_after, settlement, transaction } = error
          return yield* reply(
            503,
            new SettlementPending({
              message,
              ...(transaction === undefined ? {} : { transaction }),
              retry_after
            }),
            { "retry-after": String(retry_after), ...settled(version, settlement) }
          )
        }
        default:
          return yield* error
      }
    })

    const catalog = Effect.gen(function* () {
      const products = yield* x402.list(baseUrl)
      return {
        x402Version: 2,
        available: products.some(({ offer }) => offer !== undefined),
        products: products.map(({ content, key, offer, path, price, reason }) => ({
          product_key: key,
          url: `${baseUrl}${path}`,
          content,
          price_usd: price,
          available: offer !== undefined,
          ...(reason === undefined ? {} : { reason }),
          ...(offer === undefined ? {} : { accepts: offer.accepts })
        })),
        headers: {
          offer: "PAYMENT-REQUIRED",
          payment: "PAYMENT-SIGNATURE",
          settlement: "PAYMENT-RESPONSE"
        },
        payers:
          "Externally owned accounts and deployed contract wallets (ERC-1271). The service does not deploy a wallet for a payer.",
        delivered_again:
          "For 24 hours, anyone who sends the same authorization gets the same data again, and the chain makes the authorization public. " +
          "To keep the data to yourself, include a payment-identifier in the extensions; it is then required for every retry.",
        how_to_pay: howToPay(Math.max(...products.map(({ price }) => price)), yield* x402.terms),
        description: `${baseUrl}/x402/openapi.json`
      } as const
    })

    return handlers.handleAll({
      catalog: () => catalog,
      x402Openapi: () => Effect.flatMap(x402.list(baseUrl), documents.sales),
      payee: () =>
        Effect.gen(function* () {
          const terms = yield* x402.terms
          const now = yield* Clock.currentTimeMillis
          return payeeStatement(terms === null ? [] : [terms], settings, signer.key(now), now)
        }),
      did: () => Effect.map(LogKey, ({ keys }) => didDocument(baseUrl, keys())),
      data: Effect.fn(function* ({ headers, params, query }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        // HEAD has no body to deliver, so it never takes a payment.
        const pays = request.method !== "HEAD"
        const path = `/x402/v1/data/${params.product}`
        const credential = isCredential(headers.authorization) ? headers.authorization : undefined
        const v2 = headers["payment-signature"]
        const v1 = headers["x-payment"]
        const payments = [v2, v1, credential].filter((one) => one !== undefined)
        if (payments.length > 1) {
          return yield* new PaymentMalformed({
            message:
              "Send one payment: PAYMENT-SIGNATURE, X-PAYMENT or an Authorization of the scheme Payment. Nothing was charged.",
            field: v2 === undefined ? "X-PAYMENT" : "PAYMENT-SIGNATURE"
          })
        }
        const version = v1 === undefined ? (v2 === undefined ? undefined : 2) : 1
        const { as_known_at, min_as_of } = query
        if (as_known_at !== undefined) yield* orProblem(readKnownAt(as_known_at))
        const wish = {
          ...(min_as_of === undefined ? {} : { minAsOf: yield* readMinAsOf(min_as_of) }),
          ...(as_known_at === undefined ? {} : { knownAt: as_known_at })
        }

        const paid = Effect.gen(function* () {
          if (!pays) return yield* x402.pay(params.product, baseUrl, undefined)
          if (credential !== undefined) return yield* byCredential(credential, params.product, path, wish)
          const header = v2 ?? v1
          if (header !== undefined) {
            return yield* x402.pay(params.product, baseUrl, { version: version ?? 2, header }, wish)
          }
          const again = yield* bySignIn(headers["sign-in-with-x"], params.product, path)
          return again ?? (yield* x402.pay(params.product, baseUrl, undefined))
        })

        return yield* paid.pipe(
          Effect.map(({ data, head, settlement }) => {
            const receipt = signedReceipt(head, settings, signer.key(Date.parse(head.purchased_at)))
            return HttpServerResponse.uint8Array(withData({ ...head, receipt }, data), {
              contentType: "application/json",
              headers: {
                ...noStore,
                ...settled(version, { ...settlement, extensions: receiptExtension(receipt) }),
                ...(credential === undefined
                  ? {}
                  : { "payment-receipt": receiptHeader(settlement, head.purchased_at) })
              }
            })
          }),
          orProblem,
          Effect.catch((error) => refused(error, version, query.x402 === "1", path))
        )
      })
    })
  })
)
