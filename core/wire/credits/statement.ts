/** What moved on an account, and what it owes. */
import { Schema } from "effect"
import { ofTestMode, Usd } from "./money.ts"

const time = Schema.String.annotate({ format: "date-time", description: "ISO 8601 in UTC" })
const optional = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** Why credits moved. */
export const MovementReason = Schema.Literals([
  "starter_grant",
  "operator_grant",
  "operator_credit",
  "operator_debit",
  "purchase",
  "card_payment",
  "card_refund",
  "card_refund_failed",
  "card_dispute",
  "card_dispute_won",
  "stablecoin_transfer",
  "warranty"
])

const sources = {
  order_id: optional("The order of a card payment"),
  payment_id: optional("Stripe's id of the payment"),
  quote_id: optional("The quote that a stablecoin transfer paid"),
  transaction: optional("Hash of the transaction of a stablecoin transfer"),
  purchase_id: optional("The purchase"),
  product_key: optional("What was bought"),
  key_id: optional("The key that bought it"),
  receipt: optional("Path of the receipt")
}

export const Movement = Schema.Struct({
  movement_id: Schema.String.annotate({ description: "Id of the movement; later ones have higher numbers" }),
  at: time,
  reason: MovementReason.annotate({ description: "Why credits moved" }),
  description: Schema.String.annotate({ description: "The same in words" }),
  amount: Usd.annotate({ description: "What was added to the balance, or taken from it if negative" }),
  balance: Usd.annotate({ description: "The balance after it" }),
  owed_change: Usd.annotate({ description: "What was added to the debt, or paid off if negative" }),
  owed: Usd.annotate({ description: "The debt after it" }),
  ...sources
}).annotate({ identifier: "Movement", description: "One movement of credits" })

export const Statement = Schema.Struct({
  ...ofTestMode,
  account: Schema.String.annotate({ description: "Account id" }),
  credits_balance: Usd.annotate({ description: "The balance now" }),
  owed: Usd.annotate({ description: "The debt now" }),
  movements: Schema.Array(Movement).annotate({
    description: "Newest first; none is ever changed or removed"
  }),
  next_cursor: Schema.optionalKey(Schema.String.annotate({ description: "Cursor of the next page" }))
}).annotate({ identifier: "Statement" })

export const Debt = Schema.Struct({
  owed: Usd.annotate({ description: "What is owed in total" }),
  because: Schema.Array(
    Schema.Struct({
      movement_id: Schema.String.annotate({ description: "The movement in /v1/credits/statement" }),
      at: time,
      reason: MovementReason.annotate({ description: "Why it is owed" }),
      description: Schema.String.annotate({ description: "The same in words" }),
      amount: Usd.annotate({ description: "What the balance did not cover" }),
      open: Usd.annotate({ description: "What of that is still owed; top-ups pay off the oldest first" }),
      order_id: sources.order_id,
      payment_id: sources.payment_id
    })
  ).annotate({ description: "What the debt consists of, oldest first" }),
  how_to_settle: Schema.String.annotate({ description: "What to do" })
}).annotate({ identifier: "Debt", description: "What is owed, why, and how to settle it" })
