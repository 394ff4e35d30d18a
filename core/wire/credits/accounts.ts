/** Registration, balance and rotation. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

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
  api_key: Schema.String.annotate({ description: "Send it as X-API-Key; it is shown only once" }),
  credits_balance: Usd,
  message: Schema.String.annotate({
    description: "Whether starter credits were granted, and what to do next"
  })
})

export const SpendingStatus = Schema.Literals(["active", "restricted"])

export const Balance = Schema.Struct({
  account: Schema.String.annotate({
    description: "Account id; it grants no access, so it is safe to send to support"
  }),
  credits_balance: Usd,
  agent_name: Schema.String.annotate({ description: "The registered name; empty if none was given" }),
  spending_status: SpendingStatus.annotate({
    description: "restricted: a refund or dispute took back more than the balance, and the rest is still owed"
  }),
  owed: Schema.optionalKey(Usd.annotate({ description: "Amount the next top-up pays off first" }))
})

export const Rotation = Schema.Struct({
  api_key: Schema.String.annotate({ description: "The new key; it is shown only once" }),
  message: Schema.String.annotate({ description: "Confirms that the old key is revoked" })
})
