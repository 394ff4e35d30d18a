/** Accounts, credits and purchases. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { productKeys } from "../../core/products/index.ts"
import { Balance, Registration, RegistrationRequest, Rotation } from "../../core/wire/credits/accounts.ts"
import { KeyList, KeyRequest, NewKey, Revoked } from "../../core/wire/credits/keys.ts"
import { Pricing } from "../../core/wire/credits/pricing.ts"
import {
  PurchaseDryRun,
  PurchaseList,
  PurchaseRequest,
  PurchaseResult,
  Receipt
} from "../../core/wire/credits/receipt.ts"
import { Statement } from "../../core/wire/credits/statement.ts"
import { BuyLimitReached, KeyIdUnknown, LastFullKey } from "../../core/wire/problems/accounts.ts"
import {
  CreditsShort,
  DataTooOld,
  IdempotencyKeyReused,
  NotForResale,
  NothingToDeliver,
  OverBudget,
  ProductUnavailable,
  ProductWithdrawn,
  PurchaseUnknown
} from "../../core/wire/problems/purchases.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { AccountKey, NeedsScope } from "./Account.ts"
import { describe } from "./about.ts"
import { always, DependsOn, Sample, WithoutBody } from "./Contract.ts"
import { alsoCsv, format, text, wholeNumber } from "./parameters.ts"
import { perProduct } from "./purchased.ts"

/** The same key and body return the first response again without a charge; another body is a 422. */
export const idempotencyKey = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description: "1 to 255 visible ASCII characters; the same key and body return the first response again"
    })
  )
}

/** Marks the request body as optional in OpenAPI. */
const bodyOptional = (operation: Record<string, unknown>): Record<string, unknown> => {
  const { requestBody } = operation
  return typeof requestBody === "object"
    ? { ...operation, requestBody: { ...requestBody, required: false } }
    : operation
}

/** Endpoints that do not require a key. */
export const CreditsOpen = HttpApiGroup.make("creditsOpen")
  .add(
    HttpApiEndpoint.get("pricing", "/v1/credits/pricing", { success: Pricing })
      // What products cover is counted from the latest values, the days and the archive.
      .annotate(DependsOn, always("clock", "log"))
      .annotateMerge(describe("Prices", "`sections` has one entry for each product key.")),
    HttpApiEndpoint.post("register", "/v1/credits/register", {
      payload: RegistrationRequest,
      success: Registration,
      error: BadParameter
    })
      .annotate(Sample, { agent_name: "my-agent" })
      .annotate(WithoutBody, "{}")
      .annotate(OpenApi.Transform, bodyOptional)
      .annotateMerge(
        describe(
          "Get a free API key",
          "The first 3 keys that a network registers in 30 days get starter credits; later keys start at 0, as `message` " +
            "says. The key is shown only once. The body and all its members are optional."
        )
      )
  )
  .annotateMerge(OpenApi.annotations({ title: "Credits", description: "1 credit is 1 USD." }))

const keyParameter = { key_id: Schema.String.annotate({ description: "a `key_id` of this account" }) }

/** Endpoints that require a key. */
export const Credits = HttpApiGroup.make("credits")
  .add(
    HttpApiEndpoint.get("balance", "/v1/credits/balance", { success: Balance })
      .annotate(NeedsScope, ["buy", "account"])
      .annotateMerge(
        describe(
          "Balance",
          "The credits this key can spend, the account's tier, subscription, limits and use, and what a debt consists of."
        )
      ),
    HttpApiEndpoint.get("statement", "/v1/credits/statement", {
      query: {
        limit: wholeNumber(1, 500, "maximum movements per page"),
        cursor: text(
          "`next_cursor` of the previous page; its `Link` header has the full URL of the next one"
        ),
        format
      },
      success: Statement,
      error: BadParameter
    })
      .annotate(OpenApi.Transform, alsoCsv)
      .annotateMerge(
        describe(
          "Statement",
          "Every movement of credits with its reason, its receipt, and the balance after it, newest first. The movements of an account sum to its balance."
        )
      ),
    HttpApiEndpoint.get("keys", "/v1/credits/keys", { success: KeyList }).annotateMerge(
      describe(
        "Keys",
        "The valid keys of the account: names, scopes, limits and last use, never the keys themselves."
      )
    ),
    HttpApiEndpoint.post("createKey", "/v1/credits/keys", {
      payload: KeyRequest,
      success: NewKey,
      error: [BadParameter]
    })
      .annotate(Sample, { name: "dashboard", scopes: ["read"] })
      .annotateMerge(
        describe(
          "Create a key",
          "Another key for the same account. It can do no more than the key you send, and is shown only once."
        )
      ),
    HttpApiEndpoint.post("revokeKey", "/v1/credits/keys/:key_id/revoke", {
      params: keyParameter,
      success: Revoked,
      error: [KeyIdUnknown, LastFullKey]
    }).annotateMerge(
      describe("Revoke a key", "It stops working at once. The last key with every scope cannot be revoked.")
    ),
    HttpApiEndpoint.post("rotateKey", "/v1/credits/keys/:key_id/rotate", {
      params: keyParameter,
      success: NewKey,
      error: KeyIdUnknown
    }).annotateMerge(
      describe(
        "Rotate one of the keys",
        "Issues a new key with the same id, name and scopes, and revokes the old one."
      )
    ),
    HttpApiEndpoint.post("rotate", "/v1/credits/keys/rotate", { success: Rotation }).annotateMerge(
      describe("Rotate the key", "Issues a new key for the same account and revokes the one you sent.")
    ),
    HttpApiEndpoint.post("purchase", "/v1/credits/purchase", {
      headers: idempotencyKey,
      payload: PurchaseRequest,
      success: perProduct("PurchaseResult", PurchaseResult, productKeys, (payload) => payload),
      error: [
        BadParameter,
        BuyLimitReached,
        CreditsShort,
        DataTooOld,
        IdempotencyKeyReused,
        OverBudget,
        NotForResale,
        NothingToDeliver,
        ProductUnavailable,
        ProductWithdrawn,
        UnknownSymbol
      ]
    })
      .annotate(NeedsScope, ["buy"])
      .annotate(Sample, { product_key: "depin_provenance" })
      .annotateMerge(
        describe(
          "Buy a product",
          "The payload is built before you are charged, is returned as `data`, and `payload_sha256` is the SHA-256 of " +
            "its bytes as sent. With `max_price_usd`, a higher price is refused before anything is charged. /v1/credits/pricing lists the inputs of each product; send them in `inputs` or at the top level, next to `product_key`."
        )
      ),
    HttpApiEndpoint.post("purchaseDryRun", "/v1/credits/purchase/dry-run", {
      payload: PurchaseRequest,
      success: PurchaseDryRun,
      error: [
        BadParameter,
        BuyLimitReached,
        CreditsShort,
        OverBudget,
        NotForResale,
        NothingToDeliver,
        ProductUnavailable,
        ProductWithdrawn,
        UnknownSymbol
      ]
    })
      .annotate(NeedsScope, ["buy"])
      .annotate(Sample, { product_key: "depin_provenance", max_price_usd: 1 })
      .annotateMerge(
        describe(
          "What a purchase would do",
          "The payload is built and every check is made, and nothing is bought or charged: the price, whether the purchase " +
            "would be made, and if not, why; the length of the payload and what it covers."
        )
      ),
    HttpApiEndpoint.get("purchases", "/v1/credits/purchases", {
      query: {
        limit: wholeNumber(1, 500, "maximum purchases per page"),
        cursor: text("`next_cursor` of the previous page")
      },
      success: PurchaseList,
      error: BadParameter
    })
      .annotate(NeedsScope, ["buy"])
      .annotateMerge(describe("Purchases", "The purchases of this account, newest first. Free.")),
    HttpApiEndpoint.get("receipt", "/v1/credits/purchases/:purchase_id", {
      params: { purchase_id: Schema.String.annotate({ description: "a `purchase_id` of this account" }) },
      query: {
        include: Schema.optionalKey(
          Schema.Literal("data").annotate({ description: "include the purchased data again, free" })
        ),
        format: Schema.optionalKey(
          Schema.Literals(["json", "csv"]).annotate({
            description: "`csv`: one table of the data alone. Default `json`"
          })
        ),
        table: text(
          "with `format=csv`: which list, the first by default; the header `X-Service-Tables` names all"
        ),
        symbols: text("the data of these networks alone, such as `FIL,AR`"),
        metrics: text("the data of these metrics alone, with commas between them")
      },
      success: perProduct("Receipt", Receipt, productKeys, Schema.optionalKey),
      error: [BadParameter, ProductUnavailable, PurchaseUnknown]
    })
      .annotate(NeedsScope, ["buy"])
      .annotate(OpenApi.Transform, alsoCsv)
      .annotateMerge(
        describe(
          "A receipt",
          "With include=data it returns the same bytes again, for example after a dropped connection. `symbols` and `metrics` pick records of it."
        )
      )
  )
  .middleware(AccountKey)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "Calls that need `X-API-Key`." }))
