/** A top-up by card or stablecoin. */
import { Schema } from "effect"
import { Menu, PaymentLink } from "./card.ts"
import { Quote } from "./chain.ts"

export const TopUpRequest = Schema.Struct({
  method: Schema.String.annotate({ description: "stripe; usdc or crypto for a stablecoin transfer" }),
  // Any, so that a number beyond a double (1e309) gets the menu like every other wrong amount.
  amount: Schema.optionalKey(
    Schema.Any.annotate({ description: "USD as a number or string; 20 or 99 for a card" })
  ),
  from_address: Schema.optionalKey(
    Schema.String.annotate({ description: "the verified wallet that pays (stablecoin only)" })
  )
})

export const TopUpResult = Schema.Union([PaymentLink, Menu, Quote])
