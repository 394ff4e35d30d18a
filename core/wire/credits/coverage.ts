/** What a product covers today, as said before it is bought. */
import { Schema } from "effect"

const count = (description: string) => Schema.Natural.annotate({ description })
const date = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ format: "date", description }))

export const Coverage = Schema.Struct({
  networks: count("Networks with at least one value"),
  of_networks: count("Networks that the product is about"),
  series: count("Series behind it"),
  first_day: date("UTC day of the oldest value, or the first day of the history"),
  last_day: date("UTC day of the newest value, or the last closed day of the history"),
  holds: Schema.optionalKey(
    Schema.String.annotate({ description: "What is in it now, in words, where it is not series of networks" })
  ),
  missing: Schema.Array(Schema.String).annotate({
    description: "What is not in it, in words; empty if nothing"
  }),
  author: Schema.optionalKey(
    Schema.Literals(["rules", "language_model"]).annotate({
      description:
        "Whose words it contains: fixed rules, or the operator's language model, each of whose figures is compared with the data"
    })
  ),
  unconfirmed: Schema.optionalKey(
    count(
      "Series from which no figure is computed: nothing but their author has compared their feed with its upstream"
    )
  ),
  not_reviewed: Schema.optionalKey(count("Series of plugins that the project has not reviewed")),
  withheld_by_rights: Schema.optionalKey(count("Series whose sources do not let them be sold")),
  deliverable: Schema.optionalKey(
    Schema.Literal(false).annotate({
      description: "Present while there is nothing to deliver: a purchase is refused before any charge"
    })
  ),
  simulated: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "Present if any of the values is simulated" })
  )
}).annotate({
  identifier: "ProductCoverage",
  description: "What the product covers now, with its default inputs"
})
export interface Coverage extends Schema.Schema.Type<typeof Coverage> {}
