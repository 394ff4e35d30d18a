/** Schemas shared by all product payloads. */
import { Schema } from "effect"
import { Rights } from "../data/rights.ts"
import { described } from "../data/valueRow.ts"
import { as_known_at } from "./pointInTime.ts"

/** How a payload was computed. */
export const Methodology = Schema.Struct({
  formula: Schema.String.annotate({ description: "How each figure is computed" }),
  fields: Schema.Array(Schema.String).annotate({ description: "Metrics the figures are computed from" }),
  rules: Schema.Array(Schema.String).annotate({
    description: "What is left out, withheld or capped, and why"
  })
}).annotate({ identifier: "Methodology", description: "The product's public methodology" })
export interface Methodology extends Schema.Schema.Type<typeof Methodology> {}

/** One measured value behind a figure. */
export const Input = Schema.Struct({
  metric: described.metric,
  value: described.value,
  value_text: described.value_text,
  unit: Schema.String.annotate({ description: "Unit of the value, as listed in /v1/data-dictionary" }),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  ...described.marks
}).annotate({ identifier: "ProductInput", description: "A measured value and its provenance" })
export interface Input extends Schema.Schema.Type<typeof Input> {}

export const inputs = Schema.Array(Input).annotate({
  description: "The measured values behind this row, each with its source, time and URL"
})

export const missing = Schema.Array(Schema.String).annotate({
  description: "Inputs that are not measured, or not sold (`left_out`); figures that need them are null"
})

export const figure = (description: string) => Schema.NullOr(Schema.Finite).annotate({ description })

export const natural = (description: string) => Schema.Natural.annotate({ description })

export const textField = (description: string) => Schema.String.annotate({ description })

export const share = (description: string) =>
  Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
    description: `${description}; from 0 to 1`
  })

/** A value that a payload's figures leave out, although it is measured and served. */
export const LeftOut = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  reason: Schema.Literals(["unconfirmed", "by_definition", "rights"]).annotate({
    description:
      "`unconfirmed`: nobody has compared its feed with the upstream; `by_definition`: nobody counted this 0; `rights`: it may not be sold"
  })
}).annotate({
  identifier: "ProductLeftOut",
  description: "A value that is measured and served, and left out of what is computed or sold"
})
export interface LeftOut extends Schema.Schema.Type<typeof LeftOut> {}

export const left_out = Schema.optionalKey(
  Schema.Array(LeftOut).annotate({
    description:
      "Values that are left out, each with why; where no other source has one, it counts as missing. Absent if there is none"
  })
)

const PayloadRights = Schema.Record(Schema.String, Rights).annotate({
  description: "Licence and attribution of each source that the payload names, by its label"
})
export type PayloadRights = typeof PayloadRights.Type

export const payloadRights = Schema.optionalKey(PayloadRights)

/** The fields that every payload starts with. */
export const head = {
  generated_utc: described.generated_utc,
  as_known_at,
  rights: payloadRights,
  left_out,
  methodology: Methodology
}
