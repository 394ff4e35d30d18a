/** Paying with a card. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

/** Credits are added when Stripe reports the payment; no further call is needed. */
export const PaymentLink = Schema.Struct({
  status: Schema.Literal("stripe_payment_link").annotate({ description: "A payment link" }),
  checkout_url: Schema.String.annotate({
    description: "Pay here; the credits go to the key that requested the link"
  }),
  amount: Usd
}).annotate({ identifier: "PaymentLink" })

/** The response to any other amount; nothing is charged. */
export const Menu = Schema.Struct({
  status: Schema.Literal("menu").annotate({ description: "The amount is not one of the packs" }),
  message: Schema.String.annotate({ description: "What is valid" }),
  valid_amounts: Schema.Array(Usd).annotate({ description: "Card top-up amounts in USD" }),
  one_shot: Schema.Struct({
    sku: Schema.String.annotate({ description: "Use it as `sku` in an order" }),
    amount: Usd,
    how: Schema.String.annotate({ description: "How to order it" })
  }).annotate({ description: "A purchase without an account" })
}).annotate({ identifier: "CardMenu" })

export const OrderRequest = Schema.Struct({
  sku: Schema.String.annotate({ description: "dp_credits_499, dp_agent_499 or dp_partner_199" }),
  email: Schema.String.annotate({ description: "For Stripe's receipt" })
})

export const Order = Schema.Struct({
  checkout_url: Schema.String.annotate({ description: "Pay here" }),
  sku: Schema.String.annotate({ description: "The ordered item" }),
  price_usd: Usd,
  key_url: Schema.String.annotate({
    description: "GET this after payment to receive the key; works for 24 hours"
  })
}).annotate({ identifier: "Order" })

export const SessionKey = Schema.Struct({
  api_key: Schema.String.annotate({ description: "The key. Save it: it is shown only for 24 hours" }),
  credits_balance: Usd,
  tier: Schema.String.annotate({ description: "Its tier" }),
  message: Schema.String.annotate({ description: "What to do with the key" })
}).annotate({ identifier: "SessionKey" })
