/** Payment per request without an account: x402 version 2, and version 1 for older clients. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Usd } from "../../core/wire/credits/money.ts"
import { HowToPay, Requirements, SaleResult } from "../../core/wire/credits/x402.ts"
import { NotFound } from "../../core/wire/problems/request.ts"
import {
  DeliveryOver,
  OfferUnavailable,
  PaymentMalformed,
  PaymentRequired,
  PaymentReused,
  SettlementPending
} from "../../core/wire/problems/x402.ts"
import { soldPerRequest } from "../../core/wire/products/keys.ts"
import { always, DependsOn } from "./Contract.ts"
import { perProduct } from "./purchased.ts"

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** Whether the chain can be reached is looked at every ten seconds. */
const availability = always("clock")

export const Catalog = Schema.Struct({
  x402Version: Schema.Literal(2).annotate({ description: "Protocol version" }),
  available: Schema.Boolean.annotate({ description: "True if at least one product can be bought now" }),
  products: Schema.Array(
    Schema.Struct({
      product_key: Schema.String.annotate({ description: "The product" }),
      url: Schema.String.annotate({ description: "URL to buy it from" }),
      content: Schema.String.annotate({ description: "What the product contains" }),
      price_usd: Usd,
      available: Schema.Boolean.annotate({ description: "Whether it can be bought now" }),
      reason: Schema.optionalKey(Schema.String.annotate({ description: "Why it is not available" })),
      accepts: Schema.optionalKey(
        Schema.Array(Requirements).annotate({ description: "The ways to pay, while available" })
      )
    })
  ).annotate({ description: "The products" }),
  headers: Schema.Struct({
    offer: Schema.Literal("PAYMENT-REQUIRED").annotate({ description: "Header with the offer" }),
    payment: Schema.Literal("PAYMENT-SIGNATURE").annotate({ description: "Header of the payment" }),
    settlement: Schema.Literal("PAYMENT-RESPONSE").annotate({ description: "Header with the settlement" })
  }).annotate({ description: "Headers of the protocol" }),
  payers: Schema.String.annotate({ description: "Who can pay" }),
  delivered_again: Schema.String.annotate({ description: "How to get the data of a sale again" }),
  how_to_pay: HowToPay,
  description: Schema.String.annotate({ description: "URL of the OpenAPI description" })
}).annotate({ identifier: "X402Catalog", description: "What is sold per request" })

export const X402Family = HttpApiGroup.make("x402")
  .add(
    HttpApiEndpoint.get("catalog", "/x402", { success: Catalog })
      .annotate(DependsOn, availability)
      .annotateMerge(
        words(
          "Products sold per request",
          "Each product with its offer, or the reason why it is unavailable. Free."
        )
      ),
    HttpApiEndpoint.get("x402Openapi", "/x402/openapi.json", {
      success: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "OpenAPI 3.1 document" })
    })
      .annotate(DependsOn, availability)
      .annotateMerge(words("The same as OpenAPI 3.1", "One path per product, with its price.")),
    HttpApiEndpoint.get("data", "/x402/v1/data/:product", {
      params: { product: Schema.String.annotate({ description: "a product of /x402" }) },
      query: {
        x402: Schema.optionalKey(
          Schema.Literal("1").annotate({ description: "`1`: return the offer in the body as x402 version 1" })
        )
      },
      headers: {
        "payment-signature": Schema.optionalKey(
          Schema.String.annotate({ description: "base64-encoded PaymentPayload of x402 version 2" })
        ),
        "x-payment": Schema.optionalKey(
          Schema.String.annotate({ description: "the same for version 1; send only one of the two" })
        )
      },
      success: perProduct("X402Sale", SaleResult, soldPerRequest, (payload) => payload),
      error: [
        NotFound,
        PaymentRequired,
        PaymentMalformed,
        PaymentReused,
        DeliveryOver,
        SettlementPending,
        OfferUnavailable
      ]
    }).annotateMerge(
      words(
        "Buy a product per request",
        "Without a payment, returns 402 with the offer in `PAYMENT-REQUIRED` and in the body. With a signed authorization " +
          "in `PAYMENT-SIGNATURE`, returns the data, and the settlement in `PAYMENT-RESPONSE`. Sending the same " +
          "authorization again returns the same data for 24 hours and never pays twice."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Payment per request",
      description: "x402 version 2: USDC by signed authorization, no account."
    })
  )
