/** Amounts. */
import { Schema } from "effect"

/** An amount on the wire. */
export const Usd = Schema.Finite.annotate({
  description: "US dollars (1 credit = 1 USD), exact, at most 6 decimal places"
})

/** What answers about money say in test mode. */
export const ofTestMode = {
  test: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Present exactly in test mode: no money moved, and the data is simulated"
    })
  )
}
