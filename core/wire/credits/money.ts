/** Amounts. */
import { Schema } from "effect"

/** An amount on the wire. */
export const Usd = Schema.Finite.annotate({
  description: "US dollars (1 credit = 1 USD), exact, at most 6 decimal places"
})
