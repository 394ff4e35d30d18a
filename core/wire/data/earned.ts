/** `/v1/earned`: what networks earn from their users and pay out to their suppliers. */
import { Schema } from "effect"
import { families, Rung } from "../../plugin/flows.ts"
import { AccessNote } from "./access.ts"
import { FieldSource } from "./figures.ts"
import { described, ValueRow } from "./valueRow.ts"

const says = (description: string) => ({ description })
const day = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ format: "date", description }))

/** A 0 that nobody counted is none of its rows, and what is held back stands at the series itself. */
const {
  by_definition: _,
  by_definition_reason: __,
  held: ___,
  level_in_doubt: ____,
  ...row
} = ValueRow.fields

export const EarnedRow = Schema.Struct({
  ...row,
  family: Schema.Literals(families).annotate(says("Paid by users, or received by suppliers")),
  rung: Rung,
  from: day("First closed UTC day that it counts"),
  to: day("Last one"),
  derived_from: Schema.optionalKey(Schema.String.annotate(says("The counter that grew by it"))),
  usd: Schema.optionalKey(
    Schema.NullOr(Schema.Finite).annotate(says("The tokens at `price_usd`; null without one"))
  ),
  price_usd: Schema.optionalKey(Schema.Finite.annotate(says("Price of one"))),
  field_sources: Schema.optionalKey(
    Schema.Record(Schema.String, FieldSource).annotate(says("Who gave the price, and when"))
  ),
  method: Schema.String.annotate({ format: "uri-reference", description: "Its method" })
}).annotate({ identifier: "EarnedRow", description: "What a network earned or paid out" })
export interface EarnedRow extends Schema.Schema.Type<typeof EarnedRow> {}

/** Another source of a figure, on the same rung of evidence or a lower one. */
export const OtherFlow = Schema.Struct({
  symbol: described.symbol,
  of: Schema.String.annotate(says("Metric of the figure next to it")),
  metric: described.metric,
  source: described.source,
  rung: Rung,
  value: described.value,
  unit: described.unit,
  as_of: described.as_of,
  difference_percent: Schema.NullOr(Schema.Finite).annotate(
    says("How far it lies from the figure, in percent; null where units or days differ")
  ),
  why: Schema.optionalKey(Schema.String.annotate(says("Why the two differ, or that nobody says")))
}).annotate({ identifier: "OtherFlow", description: "Another source of a figure" })
export interface OtherFlow extends Schema.Schema.Type<typeof OtherFlow> {}

export const CoverageRow = Schema.Struct({
  symbol: described.symbol,
  earned_coverage_percent: Schema.Finite.annotate(says("What was earned of what was paid out")),
  from: Schema.String.annotate({ format: "date", description: "First closed UTC day" }),
  to: Schema.String.annotate({ format: "date", description: "Last closed UTC day" }),
  /** The lower one of the two. */
  rung: Rung
}).annotate({
  identifier: "EarnedCoverage",
  description: "Earned against paid out, over the same closed days"
})
export interface CoverageRow extends Schema.Schema.Type<typeof CoverageRow> {}

export const NotObserved = Schema.Struct({
  symbol: described.symbol,
  families: Schema.Array(Schema.Literals(families)).annotate(says("What is not observed")),
  since: Schema.String.annotate({ format: "date", description: "Day from which on it is not" }),
  why: Schema.String.annotate(says("Why")),
  needs: Schema.String.annotate(says("What would have to be published"))
}).annotate({ identifier: "NotObserved", description: "A network whose figures nobody can measure" })
export interface NotObserved extends Schema.Schema.Type<typeof NotObserved> {}

export const EarnedResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  earned: Schema.Array(EarnedRow).annotate(says("Figures by symbol and metric, the best rung of each")),
  coverage: Schema.Array(CoverageRow).annotate(
    says("Networks both of whose sides are of the same closed days")
  ),
  others: Schema.Array(OtherFlow).annotate(says("Other sources of these figures")),
  not_observed: Schema.Array(NotObserved).annotate(says("Networks that cannot be measured, and why")),
  n_networks: Schema.Natural.annotate(says("Networks with any figure")),
  access: AccessNote,
  next_cursor: described.next_cursor
}).annotate({
  identifier: "EarnedResponse",
  description: "What networks earn and pay out; a sample without a key"
})
export interface EarnedResponse extends Schema.Schema.Type<typeof EarnedResponse> {}
