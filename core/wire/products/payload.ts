/** What the payloads of all products share. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

/** How a payload was made. */
export const Methodology = Schema.Struct({
  formula: Schema.String.annotate({ description: "How each figure is computed" }),
  fields: Schema.Array(Schema.String).annotate({ description: "Metrics that the figures are computed from" }),
  rules: Schema.Array(Schema.String).annotate({
    description: "What is left out, withheld or bounded, and why"
  })
}).annotate({ identifier: "Methodology", description: "The public method of the product" })
export interface Methodology extends Schema.Schema.Type<typeof Methodology> {}

/** One measured value that a figure rests on. */
export const Input = Schema.Struct({
  metric: described.metric,
  value: described.value,
  value_text: described.value_text,
  unit: Schema.String.annotate({ description: "Unit of the value, one of those of /v1/data-dictionary" }),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated
}).annotate({ identifier: "ProductInput", description: "A measured value and where it comes from" })
export interface Input extends Schema.Schema.Type<typeof Input> {}

export const inputs = Schema.Array(Input).annotate({
  description: "The measured values that this row rests on, each with source, time and address"
})

export const missing = Schema.Array(Schema.String).annotate({
  description: "Inputs that are not measured; what needs them is null"
})

export const figure = (description: string) => Schema.NullOr(Schema.Finite).annotate({ description })

export const natural = (description: string) => Schema.Natural.annotate({ description })

export const words = (description: string) => Schema.String.annotate({ description })

export const share = (description: string) =>
  Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
    description: `${description}; from 0 to 1`
  })

/** The members that every payload begins and ends with. */
export const head = { generated_utc: described.generated_utc, methodology: Methodology }
