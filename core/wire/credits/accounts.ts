/** Registration, balance and rotation. */
import { Schema } from "effect"
import { KeyItem } from "./keys.ts"
import { ofTestMode, Usd } from "./money.ts"
import { Debt } from "./statement.ts"
import { Subscription } from "./subscription.ts"
import { AccountTier } from "./tiers.ts"

export const RegistrationRequest = Schema.Struct({
  email: Schema.optionalKey(
    Schema.String.annotate({ description: "Contact address; optional, not verified" })
  ),
  agent_name: Schema.optionalKey(
    Schema.String.annotate({ description: "A name for this key, up to 100 characters" })
  )
})

/** The only response that contains the key; it cannot be retrieved later. */
export const Registration = Schema.Struct({
  ...ofTestMode,
  api_key: Schema.String.annotate({ description: "Send it as X-API-Key; it is shown only once" }),
  credits_balance: Usd,
  message: Schema.String.annotate({
    description: "Whether starter credits were granted, and what to do next"
  })
})

const quota = (description: string) => Schema.NullOr(Schema.Int).annotate({ description })

export const SpendingStatus = Schema.Literals(["active", "restricted"])

export const Balance = Schema.Struct({
  ...ofTestMode,
  account: Schema.String.annotate({
    description: "Account id; it grants no access, so it is safe to send to support"
  }),
  credits_balance: Usd,
  agent_name: Schema.String.annotate({ description: "The registered name; empty if none was given" }),
  spending_status: SpendingStatus.annotate({
    description: "restricted: a refund or dispute took back more than the balance, and the rest is still owed"
  }),
  owed: Schema.optionalKey(Usd.annotate({ description: "Amount the next top-up pays off first" })),
  tier: Schema.optionalKey(AccountTier.annotate({ description: "The tier of the account" })),
  subscription: Schema.optionalKey(Subscription),
  limits: Schema.optionalKey(
    Schema.Struct({
      per_minute: quota("Reads per minute and process"),
      burst: Schema.Int.annotate({ description: "Reads at once" }),
      per_day: quota("Reads per UTC day")
    }).annotate({ description: "Limits of reads; null means none" })
  ),
  use: Schema.optionalKey(
    Schema.Struct({
      calls_today: Schema.Int.annotate({ description: "Reads in this UTC day, as of a second ago" }),
      resets_at: Schema.String.annotate({ format: "date-time", description: "When the next day begins" })
    }).annotate({ description: "What was used of the limits" })
  ),
  key: Schema.optionalKey(
    Schema.Struct({
      key_id: KeyItem.fields.key_id,
      name: KeyItem.fields.name,
      scopes: KeyItem.fields.scopes,
      buy_per_day: KeyItem.fields.buy_per_day,
      bought_today: KeyItem.fields.bought_today
    }).annotate({ description: "The key that you sent" })
  ),
  debt: Schema.optionalKey(Debt)
})

export const Rotation = Schema.Struct({
  api_key: Schema.String.annotate({ description: "The new key; it is shown only once" }),
  message: Schema.String.annotate({ description: "Confirms that the old key is revoked" })
})
