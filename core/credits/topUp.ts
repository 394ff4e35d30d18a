/** A top-up by card or stablecoin. */
import { Effect } from "effect"
import type { TopUpRequest } from "../wire/credits/topUp.ts"
import { BadParameter } from "../wire/problems/request.ts"
import type { Account } from "./Accounts.ts"
import { Cards } from "./card/Cards.ts"
import { Deposits } from "./chain/Deposits.ts"

const methods = ["stripe", "usdc", "crypto"]

/** Returns a payment link, a quote, or the menu of card amounts. Charges nothing. */
export const topUp = Effect.fn("Credits.topUp")(function* (
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
      return yield* new BadParameter({
        field: "method",
        message: `method must be one of ${methods.join(", ")}.`,
        valid_values: methods
      })
  }
})
