/** Registration, balance and rotation. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

export const RegistrationRequest = Schema.Struct({
  email: Schema.optionalKey(
    Schema.String.annotate({ description: "Where to reach you; optional, not verified" })
  ),
  agent_name: Schema.optionalKey(
    Schema.String.annotate({ description: "A name for this key, up to 100 characters" })
  )
})

/** The key is in no other answer and cannot be asked for again. */
export const Registration = Schema.Struct({
  api_key: Schema.String.annotate({ description: "Send it as X-API-Key; shown this once" }),
  credits_balance: Usd,
  message: Schema.String.annotate({ description: "What it may spend, and why" })
})

export const SpendingStatus = Schema.Literals(["active", "restricted"])

export const Balance = Schema.Struct({
  account: Schema.String.annotate({
    description: "Id of the account: it opens nothing, and support can be told"
  }),
  credits_balance: Usd,
  agent_name: Schema.String.annotate({ description: "As registered; empty when none was given" }),
  spending_status: SpendingStatus.annotate({
    description: "restricted: a refund or dispute took back more than was left, and the rest is still owed"
  }),
  owed: Schema.optionalKey(Usd.annotate({ description: "What the next top-up settles first" }))
})

export const Rotation = Schema.Struct({
  api_key: Schema.String.annotate({ description: "The new key; shown this once" }),
  message: Schema.String.annotate({ description: "What became of the old one" })
})
