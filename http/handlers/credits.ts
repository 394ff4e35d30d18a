import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts, balanceOf, type FieldInvalid } from "../../core/credits/Accounts.ts"
import { Purchases, type Refusal } from "../../core/credits/Purchases.ts"
import { pricing } from "../../core/credits/pricing.ts"
import { Api } from "../api/Api.ts"
import * as Problems from "../api/creditProblems.ts"
import { BadParameter, says, TooManyRequests } from "../api/problems.ts"
import { networkOfRequest } from "../delivery/deliver.ts"
import { linked } from "../delivery/nextPage.ts"
import { CurrentAccount } from "../middleware/account.ts"
import { Settings } from "../Settings.ts"
import { refusal, respond } from "../toProblem.ts"

/** JSON that core has made byte for byte. */
export const jsonBytes = (bytes: Uint8Array) =>
  HttpServerResponse.uint8Array(bytes, { contentType: "application/json" })

export const invalid = (error: FieldInvalid) =>
  new BadParameter({
    ...says(error.message),
    field: error.field,
    ...(error.valid_values === undefined ? {} : { valid_values: error.valid_values })
  })

const refused = (error: Refusal) => {
  const words = says(error.message)
  switch (error._tag) {
    case "CreditsShort": {
      const { credits_balance, how_to_topup, owed, price, shortfall } = error
      return new Problems.CreditsShort({
        ...words,
        price,
        credits_balance,
        shortfall,
        ...(owed === undefined ? {} : { owed }),
        how_to_topup
      })
    }
    case "ProductUnknown":
      return new BadParameter({ ...words, field: error.field, valid_values: error.valid_values })
    case "ProductUnavailable":
      return new Problems.ProductUnavailable({ ...words, product_key: error.product_key })
    case "ProductWithdrawn":
      return new Problems.ProductWithdrawn({ ...words, product_key: error.product_key })
    case "IdempotencyKeyReused":
      return new Problems.IdempotencyKeyReused(words)
    case "FieldInvalid":
      return invalid(error)
    case "BadParameter":
    case "UnknownSymbol":
      return refusal(error)
  }
}

const open = HttpApiBuilder.group(
  Api,
  "creditsOpen",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const purchases = yield* Purchases
    const settings = yield* Settings
    return handlers.handleAll({
      pricing: () => Effect.succeed(pricing(purchases.built)),
      register: Effect.fn(function* ({ payload }) {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        return yield* accounts.register(payload, networkOfRequest(source, settings.trustProxy)).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.catchTag("FieldInvalid", (error) => Effect.fail(invalid(error))),
          Effect.catchTag("TooManyRequests", ({ message, retry_after }) =>
            respond(new TooManyRequests({ ...says(message), retry_after }), {
              "retry-after": String(retry_after)
            })
          )
        )
      })
    })
  })
)

const keyed = HttpApiBuilder.group(
  Api,
  "credits",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const purchases = yield* Purchases
    return handlers.handleAll({
      balance: () => Effect.map(CurrentAccount, ({ account }) => balanceOf(account)),
      rotate: Effect.fn(function* () {
        const { key } = yield* CurrentAccount
        return yield* accounts.rotate(key).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.mapError(({ message }) => new Problems.KeyUnknown(says(message)))
        )
      }),
      purchase: Effect.fn(function* ({ headers, payload }) {
        const { account } = yield* CurrentAccount
        const bytes = yield* purchases
          .buy(account, payload, headers["idempotency-key"])
          .pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(refused))
        return jsonBytes(bytes)
      }),
      purchases: Effect.fn(function* ({ query }) {
        const { account } = yield* CurrentAccount
        return yield* linked(purchases.list(account, query)).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.mapError(invalid)
        )
      }),
      receipt: Effect.fn(function* ({ params, query }) {
        const { account } = yield* CurrentAccount
        const bytes = yield* purchases.receipt(account, params.purchase_id, query.include).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.mapError(({ message }) => new Problems.PurchaseUnknown(says(message)))
        )
        return jsonBytes(bytes)
      })
    })
  })
)

export const layer = Layer.merge(open, keyed)
