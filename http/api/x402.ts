/** Payment per request without an account: x402 version 2, and version 1 for older clients. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { soldPerRequest } from "../../core/products/index.ts"
import { ofTestMode, Usd } from "../../core/wire/credits/money.ts"
import { Pricing } from "../../core/wire/credits/pricing.ts"
import { HowToPay, Requirements, SaleResult } from "../../core/wire/credits/x402.ts"
import { DataTooOld, NothingToDeliver } from "../../core/wire/problems/purchases.ts"
import { BadParameter, NotFound } from "../../core/wire/problems/request.ts"
import {
  DeliveryOver,
  OfferUnavailable,
  PaymentMalformed,
  PaymentRequired,
  PaymentReused,
  SettlementPending,
  SettlementUnavailable
} from "../../core/wire/problems/x402.ts"
import { takesKnownAt } from "../../core/wire/products/pointInTime.ts"
import { always, DependsOn } from "./Contract.ts"
import { text } from "./parameters.ts"
import { perProduct } from "./purchased.ts"

const describe = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** Whether the chain can be reached is looked at every ten seconds. */
const availability = always("clock")

/** What the catalog says of everything that is sold. */
const Priced = {
  url: Schema.String.annotate({ description: "URL to buy it from" }),
  content: Schema.String.annotate({ description: "What it contains" }),
  price_usd: Usd,
  available: Schema.Boolean.annotate({ description: "Whether it can be bought now" }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why it is not available" })),
  accepts: Schema.optionalKey(
    Schema.Array(Requirements).annotate({ description: "The ways to pay, while available" })
  )
}

export const Catalog = Schema.Struct({
  ...ofTestMode,
  test_mode: Schema.optionalKey(
    Schema.String.annotate({ description: "Where the same can be bought for nothing; absent if nowhere" })
  ),
  x402Version: Schema.Literal(2).annotate({ description: "Protocol version" }),
  available: Schema.Boolean.annotate({ description: "True if at least one product can be bought now" }),
  ways: Pricing.fields.ways,
  products: Schema.Array(
    Schema.Struct({
      product_key: Schema.String.annotate({ description: "The product" }),
      ...Priced
    })
  ).annotate({ description: "The products" }),
  reads: Schema.Array(
    Schema.Struct({
      path: Schema.String.annotate({ description: "The path of the same answer without a payment" }),
      method: Schema.optionalKey(
        Schema.Literal("POST").annotate({ description: "Present if it takes POST; all others take GET" })
      ),
      ...Priced
    })
  ).annotate({
    description: "Paths that sell one page each: every network, 30 days, outside the limits of reads"
  }),
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

const says = (description: string) => ({ description })

const PayeeStatement = Schema.Struct({
  v: Schema.Literals(["service-payee-v1", "service-payee-v1-demo"]).annotate(says("Format of the statement")),
  domain: Schema.String.annotate(says("Host of the service")),
  payees: Schema.Array(
    Schema.Struct({
      network: Schema.String.annotate(says("CAIP-2 name of the chain")),
      asset: Schema.String.annotate(says("Address of the token")),
      pay_to: Schema.String.annotate(says("Address that receives the payments"))
    })
  ).annotate(says("Every address that this service is paid at; empty while nothing is sold per request")),
  signed_at: Schema.String.annotate({ format: "date-time", description: "When it was signed" }),
  valid_until: Schema.String.annotate({
    format: "date-time",
    description: "Request a new copy after this time"
  }),
  simulated: Schema.optionalKey(Schema.Literal(true).annotate(says("Present exactly in the demo"))),
  kid: Schema.String.annotate(says("Key that signed it (`/.well-known/service-signing-key.json`)")),
  signature: Schema.String.annotate(
    says("Over the canonical JSON (RFC 8785) of the members before `kid`, like `X-Service-Signature`")
  )
}).annotate({ identifier: "PayeeStatement", description: "Who is paid" })

const DidDocument = Schema.Struct({
  "@context": Schema.Array(Schema.String).annotate(says("JSON-LD contexts")),
  id: Schema.String.annotate(says("The DID of this service")),
  verificationMethod: Schema.Array(
    Schema.Struct({
      id: Schema.String.annotate(says("The `kid` of offers and receipts")),
      type: Schema.Literal("JsonWebKey2020").annotate(says("Type of the method")),
      controller: Schema.String.annotate(says("The DID")),
      publicKeyJwk: Schema.Struct({
        kty: Schema.Literal("OKP").annotate(says("Key type")),
        crv: Schema.Literal("Ed25519").annotate(says("Curve")),
        alg: Schema.Literal("EdDSA").annotate(says("Algorithm")),
        x: Schema.String.annotate(says("Public key, base64url"))
      }).annotate(says("The key as a JWK (RFC 8037)"))
    })
  ).annotate(says("The keys for answers, also retired ones")),
  assertionMethod: Schema.Array(Schema.String).annotate(says("Ids of the keys that sign"))
}).annotate({ identifier: "DidDocument", description: "DID document (did:web)" })

/** `did:web` looks for the document at one of two paths, by whether the address of the service has a path. */
const didEndpoint = <const Name extends string, const Path extends `/${string}`>(
  name: Name,
  path: Path,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.get(name, path, { success: DidDocument })
    .annotate(DependsOn, always("clock", "keys"))
    .annotateMerge(describe(summary, description))

/** How the path is paid, for clients that discover it. Each product has its price in /x402/openapi.json. */
const paymentInfo = {
  protocols: ["x402", "mpp"],
  offers: [
    {
      method: "evm",
      intent: "charge",
      amount: null,
      description: "The price of the product, in USDC; /x402/openapi.json has one path for each"
    }
  ]
}

export const X402Family = HttpApiGroup.make("x402")
  .add(
    HttpApiEndpoint.get("catalog", "/x402", { success: Catalog })
      .annotate(DependsOn, availability)
      .annotateMerge(
        describe(
          "Products sold per request",
          "Each product with its offer, or the reason why it is unavailable. Free."
        )
      ),
    HttpApiEndpoint.get("x402Openapi", "/x402/openapi.json", {
      success: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "OpenAPI 3.1 document" })
    })
      .annotate(DependsOn, availability)
      .annotateMerge(describe("The same as OpenAPI 3.1", "One path per product, with its price.")),
    HttpApiEndpoint.get("data", "/x402/v1/data/:product", {
      params: { product: Schema.String.annotate({ description: "a product of /x402" }) },
      query: {
        min_as_of: Schema.optionalKey(
          Schema.String.annotate({
            format: "date-time",
            description:
              "Pay only if fresh: the oldest `as_of` you accept (ISO 8601 in UTC). If any value of the data is older, the " +
              "answer is 412 and nothing is charged. Send it with the payment; it is not part of what is signed"
          })
        ),
        as_known_at: text(`${takesKnownAt}. Send it with the payment; the price is the same`),
        x402: Schema.optionalKey(
          Schema.Literal("1").annotate({ description: "`1`: return the offer in the body as x402 version 1" })
        )
      },
      headers: {
        "payment-signature": Schema.optionalKey(
          Schema.String.annotate({ description: "base64-encoded PaymentPayload of x402 version 2" })
        ),
        "x-payment": Schema.optionalKey(
          Schema.String.annotate({ description: "the same for version 1; send only one payment" })
        ),
        authorization: Schema.optionalKey(
          Schema.String.annotate({
            description:
              "`Payment` and the base64url-encoded credential of MPP, for the challenge in `WWW-Authenticate`"
          })
        ),
        "sign-in-with-x": Schema.optionalKey(
          Schema.String.annotate({
            description:
              "base64-encoded proof of the wallet that paid, for the challenge in the 402: returns its last purchase again"
          })
        )
      },
      success: perProduct("X402Sale", SaleResult, soldPerRequest, (payload) => payload),
      error: [
        NotFound,
        BadParameter,
        DataTooOld,
        PaymentRequired,
        PaymentMalformed,
        PaymentReused,
        DeliveryOver,
        SettlementPending,
        NothingToDeliver,
        OfferUnavailable,
        SettlementUnavailable
      ]
    })
      .annotate(OpenApi.Transform, (operation) => ({ ...operation, "x-payment-info": paymentInfo }))
      .annotateMerge(
        describe(
          "Buy a product per request",
          "Without a payment, returns 402 with the offer in `PAYMENT-REQUIRED`, and with all its extensions in the body. With a signed authorization " +
            "in `PAYMENT-SIGNATURE`, returns the data, and the settlement in `PAYMENT-RESPONSE`. The same 402 has a challenge " +
            "of MPP (`WWW-Authenticate: Payment`, method `evm`), paid in `Authorization` and acknowledged in " +
            "`Payment-Receipt`. Sending the same authorization again returns the same data for 24 hours and never pays " +
            "twice; within that time the wallet that paid can also sign in (`sign-in-with-x`). Offers and receipts are signed."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("payee", "/.well-known/payee.json", { success: PayeeStatement })
      .annotate(DependsOn, always("clock", "keys"))
      .annotateMerge(
        describe(
          "Who is paid",
          "A signed statement that binds the domain, the key for answers and the addresses that receive payments. Check it " +
            "before the first payment: `plumbline verify payee`."
        )
      ),
    didEndpoint(
      "did",
      "/.well-known/did.json",
      "The keys for answers as a DID document",
      "Resolves the `did:web` key ids of offers and receipts."
    ),
    didEndpoint(
      "didBelow",
      "/did.json",
      "The same for a service below a path",
      "`did:web` looks here for the keys of a service such as that of the test mode, whose address has a path."
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Payment per request",
      description: "x402 version 2, or MPP: USDC by signed authorization, no account."
    })
  )
