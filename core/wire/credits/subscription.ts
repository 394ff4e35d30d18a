/** The subscription of an account. */
import { Schema } from "effect"
import { Usd } from "./money.ts"
import { AccountTier } from "./tiers.ts"

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

export const SubscriptionState = Schema.Literals([
  "none",
  "active",
  "past_due",
  "canceling",
  "ended"
]).annotate({
  description:
    "none: there never was one. active: paid; the next period begins at period_ends. past_due: a renewal was not paid; the " +
    "tier stays while Stripe retries, until it is paid (active) or given up (ended). canceling: paid, and ends at " +
    "period_ends. ended: the tier has ended; credits remain"
})

export const Subscription = Schema.Struct({
  state: SubscriptionState,
  sku: Schema.optionalKey(Schema.String.annotate({ description: "What is subscribed to" })),
  tier: Schema.optionalKey(AccountTier.annotate({ description: "The tier it gives" })),
  price_usd: Schema.optionalKey(
    Usd.annotate({ description: "List price per month; a subscription keeps the rate at which it began" })
  ),
  period_ends: Schema.optionalKey(time("End of the period that is paid, ISO 8601 in UTC")),
  next: Schema.String.annotate({ description: "What happens next, and how to change it" })
}).annotate({ identifier: "Subscription", description: "The subscription of the account" })

export const SubscriptionPayment = Schema.Struct({
  invoice_id: Schema.String.annotate({ description: "Stripe's id of the invoice" }),
  amount: Usd.annotate({ description: "What was paid by card" }),
  paid_at: time("When it was paid, ISO 8601 in UTC")
}).annotate({ identifier: "SubscriptionPayment" })

export const SubscriptionView = Schema.Struct({
  ...Subscription.fields,
  payments: Schema.Array(SubscriptionPayment).annotate({
    description: "The newest 24 payments, newest first"
  })
}).annotate({ identifier: "SubscriptionView" })

export const SubscriptionRequest = Schema.Struct({
  sku: Schema.String.annotate({ description: "dp_agent_499 or dp_partner_199" }),
  preview: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "true: say what it would cost now, and change nothing" })
  )
})

export const SubscriptionChange = Schema.Struct({
  status: Schema.Literals(["checkout", "changed", "resumed", "unchanged", "preview"]).annotate({
    description:
      "checkout: pay at checkout_url, then the tier begins. changed: the tier is changed. resumed: it is no longer cancelled. " +
      "unchanged: it was so already. preview: nothing was done"
  }),
  sku: Schema.String.annotate({ description: "The requested item" }),
  price_usd: Usd.annotate({ description: "Price per month" }),
  checkout_url: Schema.optionalKey(Schema.String.annotate({ description: "Pay here" })),
  due_now: Schema.optionalKey(
    Usd.annotate({
      description:
        "With preview: what a change charges now for the rest of the period, as Stripe computes it; negative: credited to the next invoices"
    })
  ),
  message: Schema.String.annotate({ description: "What was done, and what comes next" }),
  subscription: Subscription
}).annotate({ identifier: "SubscriptionChange" })
