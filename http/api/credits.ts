/** Accounts, credits and purchases. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Balance, Registration, RegistrationRequest, Rotation } from "../../core/wire/credits/accounts.ts"
import { Pricing } from "../../core/wire/credits/pricing.ts"
import { PurchaseList, PurchaseRequest, PurchaseResult, Receipt } from "../../core/wire/credits/receipt.ts"
import {
  CreditsShort,
  IdempotencyKeyReused,
  ProductUnavailable,
  ProductWithdrawn,
  PurchaseUnknown
} from "../../core/wire/problems/purchases.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { productKeys } from "../../core/wire/products/keys.ts"
import { AccountKey } from "./Account.ts"
import { Sample, WithoutBody } from "./Contract.ts"
import { text, wholeNumber } from "./parameters.ts"
import { perProduct } from "./purchased.ts"

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** The same key and body get the first answer again and charge nothing; another body is a 422. */
export const idempotencyKey = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description: "1 to 255 visible ASCII characters: the same key and body get the first answer again"
    })
  )
}

/** The description of an operation whose body may be left out. */
const bodyOptional = (operation: Record<string, unknown>): Record<string, unknown> => {
  const { requestBody } = operation
  return typeof requestBody === "object"
    ? { ...operation, requestBody: { ...requestBody, required: false } }
    : operation
}

/** What anyone may call. */
export const CreditsOpen = HttpApiGroup.make("creditsOpen")
  .add(
    HttpApiEndpoint.get("pricing", "/v1/credits/pricing", { success: Pricing }).annotateMerge(
      words("Prices", "`sections` has one entry for each product key that a purchase takes.")
    ),
    HttpApiEndpoint.post("register", "/v1/credits/register", {
      payload: RegistrationRequest,
      success: Registration,
      error: BadParameter
    })
      .annotate(Sample, { agent_name: "my-agent" })
      .annotate(WithoutBody, "{}")
      .annotate(OpenApi.Transform, bodyOptional)
      .annotateMerge(
        words(
          "A free key",
          "The first 3 keys of an originating network in 30 days get starter credits; a later one works at 0.0 and " +
            "`message` says so. The key is shown once. Everything in the body is optional, and so is the body."
        )
      )
  )
  .annotateMerge(OpenApi.annotations({ title: "Credits", description: "1 credit is 1 USD." }))

/** What needs a key. */
export const Credits = HttpApiGroup.make("credits")
  .add(
    HttpApiEndpoint.get("balance", "/v1/credits/balance", { success: Balance }).annotateMerge(
      words("Balance", "What the key may spend.")
    ),
    HttpApiEndpoint.post("rotate", "/v1/credits/keys/rotate", { success: Rotation }).annotateMerge(
      words("A new key", "Gives a new key for the same account and ends the one that was sent.")
    ),
    HttpApiEndpoint.post("purchase", "/v1/credits/purchase", {
      headers: idempotencyKey,
      payload: PurchaseRequest,
      success: perProduct("PurchaseResult", PurchaseResult, productKeys, (payload) => payload),
      error: [
        BadParameter,
        CreditsShort,
        IdempotencyKeyReused,
        ProductUnavailable,
        ProductWithdrawn,
        UnknownSymbol
      ]
    })
      .annotate(Sample, { product_key: "depin_provenance" })
      .annotateMerge(
        words(
          "Buy a product",
          "The payload is built first and charged only then; it is the member `data`, and `payload_sha256` is the " +
            "SHA-256 of its bytes as sent. `inputs` of /v1/credits/pricing says what a product takes: as members of `inputs`, or beside `product_key`."
        )
      ),
    HttpApiEndpoint.get("purchases", "/v1/credits/purchases", {
      query: {
        limit: wholeNumber(1, 500, "purchases in an answer"),
        cursor: text("`next_cursor` of the page before")
      },
      success: PurchaseList,
      error: BadParameter
    }).annotateMerge(words("Purchases", "Of this key's account, newest first. Free.")),
    HttpApiEndpoint.get("receipt", "/v1/credits/purchases/:purchase_id", {
      params: { purchase_id: Schema.String.annotate({ description: "a `purchase_id` of this key" }) },
      query: {
        include: Schema.optionalKey(
          Schema.Literal("data").annotate({ description: "delivers it again, free" })
        )
      },
      success: perProduct("Receipt", Receipt, productKeys, Schema.optionalKey),
      error: PurchaseUnknown
    }).annotateMerge(
      words(
        "A receipt",
        "With include=data the same bytes again: a retry after a dropped connection is this call."
      )
    )
  )
  .middleware(AccountKey)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "Calls that need `X-API-Key`." }))
