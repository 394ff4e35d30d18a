import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { encodeHeader, offerV1 } from "../../core/credits/x402/wire.ts"
import { type SentPayment, X402, type X402Refusal } from "../../core/credits/x402/X402.ts"
import type { HowToPay } from "../../core/wire/credits/x402.ts"
import { PaymentMalformed, PaymentRequired, SettlementPending } from "../../core/wire/problems/x402.ts"
import { Api } from "../api/Api.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { orProblem } from "../orProblem.ts"
import { describe } from "../pages/x402.ts"
import { respond } from "../toProblem.ts"

/** Sales must not be cached. */
const unkept = { "cache-control": "private, no-store" }

const howToPay = (price: number): typeof HowToPay.Type => ({
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
    "After a dropped connection or a 503 settlement_pending, send the same request with the same header again: it returns the data and never pays twice. Do not sign again."
})

const reply = (
  status: 402 | 503,
  problem: PaymentRequired | SettlementPending,
  headers: Record<string, string>
) => Effect.map(respond(problem, { ...unkept, ...headers }), HttpServerResponse.setStatus(status))

const settled = (version: 1 | 2 | undefined, settlement: object): Record<string, string> => {
  const value = encodeHeader(settlement)
  return { "payment-response": value, ...(version === 1 ? { "x-payment-response": value } : {}) }
}

export const layer = HttpApiBuilder.group(
  Api,
  "x402",
  Effect.fn(function* (handlers) {
    const x402 = yield* X402
    const { baseUrl } = yield* HttpSettings

    const refused = Effect.fnUntraced(function* (
      error: X402Refusal,
      version: 1 | 2 | undefined,
      asV1: boolean
    ) {
      switch (error._tag) {
        case "PaymentNeeded": {
          const { message, price, reason, required, settlement } = error
          const problem = new PaymentRequired({
            message,
            ...(reason === undefined ? {} : { reason }),
            price_usd: price,
            x402Version: 2,
            resource: required.resource,
            accepts: required.accepts,
            extensions: required.extensions,
            how_to_pay: howToPay(price)
          })
          const headers = {
            ...unkept,
            ...(settlement === undefined ? {} : settled(version, settlement))
          }
          const terms = asV1 ? yield* x402.terms : null
          // A client that sees the header assumes version 2, whatever the body says.
          if (terms === null) {
            return yield* reply(402, problem, { ...headers, "payment-required": encodeHeader(required) })
          }
          const { accepts, extensions, resource, x402Version, ...ours } = problem
          return HttpServerResponse.jsonUnsafe(
            { ...ours, ...offerV1(required, terms), status: 402 },
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
        how_to_pay: howToPay(Math.max(...products.map(({ price }) => price))),
        description: `${baseUrl}/x402/openapi.json`
      } as const
    })

    return handlers.handleAll({
      catalog: () => catalog,
      x402Openapi: () => Effect.map(x402.list(baseUrl), (products) => describe(products, baseUrl)),
      data: Effect.fn(function* ({ headers, params, query }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const v2 = headers["payment-signature"]
        const v1 = headers["x-payment"]
        if (v1 !== undefined && v2 !== undefined) {
          return yield* new PaymentMalformed({
            message: "Send either PAYMENT-SIGNATURE or X-PAYMENT, not both. Nothing was charged.",
            field: "PAYMENT-SIGNATURE"
          })
        }
        // HEAD has no body to deliver, so it never takes a payment.
        const sent: SentPayment | undefined =
          request.method === "HEAD"
            ? undefined
            : v2 !== undefined
              ? { version: 2, header: v2 }
              : v1 !== undefined
                ? { version: 1, header: v1 }
                : undefined
        return yield* x402.pay(params.product, baseUrl, sent).pipe(
          Effect.map(({ body, settlement }) =>
            HttpServerResponse.uint8Array(body, {
              contentType: "application/json",
              headers: { ...unkept, ...settled(sent?.version, settlement) }
            })
          ),
          orProblem,
          Effect.catch((error) => refused(error, sent?.version, query.x402 === "1"))
        )
      })
    })
  })
)
