/** Paying with a card. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

/** The credits come when Stripe says that it was paid, with no further call. */
export const PaymentLink = Schema.Struct({
  status: Schema.Literal("stripe_payment_link").annotate({ description: "A link to pay at" }),
  checkout_url: Schema.String.annotate({ description: "Pay here; bound to the key that asked" }),
  amount: Usd
}).annotate({ identifier: "PaymentLink" })

/** The answer to any other amount: nothing is charged. */
export const Menu = Schema.Struct({
  status: Schema.Literal("menu").annotate({ description: "Another amount is needed" }),
  message: Schema.String.annotate({ description: "What is valid, in words" }),
  valid_amounts: Schema.Array(Usd).annotate({ description: "Amounts of a card top-up, in USD" }),
  one_shot: Schema.Struct({
    sku: Schema.String.annotate({ description: "Its name in an order" }),
    amount: Usd,
    how: Schema.String.annotate({ description: "How to order it" })
  }).annotate({ description: "A payment without an account" })
}).annotate({ identifier: "CardMenu" })

export const OrderRequest = Schema.Struct({
  sku: Schema.String.annotate({ description: "dp_credits_499, dp_agent_499 or dp_partner_199" }),
  email: Schema.String.annotate({ description: "For Stripe's receipt" })
})

export const Order = Schema.Struct({
  checkout_url: Schema.String.annotate({ description: "Pay here" }),
  sku: Schema.String.annotate({ description: "What is ordered" }),
  price_usd: Usd,
  key_url: Schema.String.annotate({
    description: "GET it after payment: gives the key, for 24 hours"
  })
}).annotate({ identifier: "Order" })

export const SessionKey = Schema.Struct({
  api_key: Schema.String.annotate({ description: "The key; keep it, it is shown for 24 hours" }),
  credits_balance: Usd,
  tier: Schema.String.annotate({ description: "Its tier" }),
  message: Schema.String.annotate({ description: "What it is for, in words" })
}).annotate({ identifier: "SessionKey" })
