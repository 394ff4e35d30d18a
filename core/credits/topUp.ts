/** A top-up by the way that the caller names (spec 4.2). */
import { Effect, Schema } from "effect"
import { type Account, FieldInvalid } from "./Accounts.ts"
import { Cards } from "./card/Cards.ts"
import { Menu, PaymentLink } from "./card/wire.ts"
import { Deposits } from "./chain/Deposits.ts"
import { Quote } from "./chain/wire.ts"

export const TopUpRequest = Schema.Struct({
  method: Schema.String.annotate({ description: "stripe; usdc or crypto for a stablecoin transfer" }),
  // Any: a number that JSON can not hold (1e309) gets the menu like every other wrong amount.
  amount: Schema.optionalKey(Schema.Any.annotate({ description: "20 or 99 for a card; a number or a text" })),
  from_address: Schema.optionalKey(
    Schema.String.annotate({ description: "The verified wallet (stablecoin only)" })
  )
})

export const TopUpResult = Schema.Union([PaymentLink, Menu, Quote])

const methods = ["stripe", "usdc", "crypto"]

/** A payment link, a quote, or the menu of what a card takes. Nothing is charged here. */
export const topUp = Effect.fn("topUp")(function* (
  account: Account,
  request: typeof TopUpRequest.Type,
  baseUrl: string,
  idempotencyKey?: string
) {
  const { amount, from_address, method } = request
  switch (method) {
    case "usdc":
    case "crypto":
      return yield* (yield* Deposits).quote(account, { amount, from_address }, idempotencyKey)
    case "stripe":
      return yield* (yield* Cards).topUp(account, amount, baseUrl, idempotencyKey)
    default:
      return yield* new FieldInvalid({
        field: "method",
        message: `method: it is one of ${methods.join(", ")}.`,
        valid_values: methods
      })
  }
})
