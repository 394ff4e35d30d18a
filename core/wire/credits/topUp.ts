/** A top-up by the way that the caller names. */
import { Schema } from "effect"
import { Menu, PaymentLink } from "./card.ts"
import { Quote } from "./chain.ts"

export const TopUpRequest = Schema.Struct({
  method: Schema.String.annotate({ description: "stripe; usdc or crypto for a stablecoin transfer" }),
  // Any: a number that JSON cannot hold (1e309) gets the menu like every other wrong amount.
  amount: Schema.optionalKey(Schema.Any.annotate({ description: "20 or 99 for a card; a number or a text" })),
  from_address: Schema.optionalKey(
    Schema.String.annotate({ description: "The verified wallet (stablecoin only)" })
  )
})

export const TopUpResult = Schema.Union([PaymentLink, Menu, Quote])
