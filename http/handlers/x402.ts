/** Payment per request: the catalog, the products, and who is paid. */
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { testMark } from "../../core/credits/keys/KeyMode.ts"
import { readMinAsOf } from "../../core/credits/minAsOf.ts"
import { withData } from "../../core/credits/payload.ts"
import { waysHere } from "../../core/credits/waysToPay.ts"
import { pathOf, productItem } from "../../core/credits/x402/offer.ts"
import { type Listed, X402 } from "../../core/credits/x402/X402.ts"
import { LogKey } from "../../core/log/Log.ts"
import { readKnownAt } from "../../core/readings/read/asKnownAt.ts"
import { methodOf } from "../../core/wire/credits/reads.ts"
import { Api } from "../api/Api.ts"
import { HttpSettings, testUrlOf } from "../HttpSettings.ts"
import { Documents } from "../pages/docs/Documents.ts"
import { howToPay } from "../payments/howToPay.ts"
import { didDocument, payeeStatement } from "../payments/identity.ts"
import { Till } from "../payments/Till.ts"
import { orProblem } from "../problems/fromCore.ts"
import { Signer } from "../signing/Signer.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "x402",
  Effect.fn(function* (handlers) {
    const x402 = yield* X402
    const documents = yield* Documents
    const settings = yield* HttpSettings
    const { baseUrl } = settings
    const signer = yield* Signer
    const till = yield* Till
    const testUrl = testUrlOf(settings)

    const listed = ({ content, offer, path, price, reason }: Listed) => ({
      url: `${baseUrl}${path}`,
      content,
      price_usd: price,
      available: offer !== undefined,
      ...(reason === undefined ? {} : { reason }),
      ...(offer === undefined ? {} : { accepts: offer.accepts })
    })

    const catalog = Effect.gen(function* () {
      const products = yield* x402.list(baseUrl)
      const ways = yield* waysHere
      return {
        ...testMark(settings.testMode.keys),
        ...(testUrl === undefined ? {} : { test_mode: testUrl }),
        x402Version: 2,
        available: ways.x402.available && products.some(({ offer }) => offer !== undefined),
        ways,
        products: products.map((one) => ({ product_key: one.key, ...listed(one) })),
        reads: (yield* x402.reads(baseUrl)).map((one) => ({
          path: one.key,
          ...(methodOf(one.key) === "POST" ? { method: "POST" as const } : {}),
          ...listed(one)
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

    const keyDocument = Effect.map(LogKey, ({ keys }) => didDocument(baseUrl, keys()))

    return handlers.handleAll({
      catalog: () => catalog,
      x402Openapi: () =>
        Effect.all([x402.list(baseUrl), x402.reads(baseUrl)]).pipe(
          Effect.flatMap(([products, reads]) => documents.sales([...products, ...reads]))
        ),
      payee: () =>
        Effect.gen(function* () {
          const terms = yield* x402.terms
          const now = yield* Clock.currentTimeMillis
          return payeeStatement(terms === null ? [] : [terms], settings, signer.key(now), now)
        }),
      did: () => keyDocument,
      didBelow: () => keyDocument,
      data: Effect.fn(function* ({ params: { product }, query: { as_known_at, min_as_of, x402: version } }) {
        if (as_known_at !== undefined) yield* orProblem(readKnownAt(as_known_at))
        const wish = {
          ...(min_as_of === undefined ? {} : { minAsOf: yield* readMinAsOf(min_as_of) }),
          ...(as_known_at === undefined ? {} : { knownAt: as_known_at })
        }
        const key = yield* orProblem(x402.offered(product))
        return yield* till
          .take({
            item: productItem(key, baseUrl),
            path: pathOf(key),
            offerInBody: version === "1",
            pay: (payment) => x402.pay(key, baseUrl, payment, wish),
            deliver: ({ data, head }, signed) => ({
              response: HttpServerResponse.uint8Array(
                withData({ ...testMark(settings.testMode.keys), ...head, ...signed }, data),
                {
                  contentType: "application/json"
                }
              )
            })
          })
          .pipe(orProblem)
      })
    })
  })
)
