/** `/v1/measures`: what compares, and one measure over the networks that state it. */
import { Schema } from "effect"
import { Unit } from "../../plugin/Value.ts"
import { AccessNote } from "./access.ts"
import { described, ValueRow } from "./valueRow.ts"

const says = (description: string) => ({ description })

export const MeasureRow = Schema.Struct({
  name: Schema.String.annotate(says("As in /v1/measures/{name} and /measure/{name}")),
  title: Schema.String.annotate(says("Name for people")),
  unit: Unit.annotate(says("Unit of every member")),
  best: Schema.Literals(["most", "least"]).annotate(says("Which end of the order comes first")),
  adds: Schema.Boolean.annotate(says("Whether the values of several networks may be summed")),
  ranks: Schema.Boolean.annotate(says("Whether members have places: they count one kind of thing")),
  differs: Schema.String.annotate(says("In what the members differ"))
}).annotate({ identifier: "MeasureRow", description: "One comparable measure" })
export interface MeasureRow extends Schema.Schema.Type<typeof MeasureRow> {}

export const MeasuresResponse = Schema.Struct({
  measures: Schema.Array(MeasureRow).annotate(says("All measures"))
}).annotate({ identifier: "MeasuresResponse", description: "The comparable measures" })
export interface MeasuresResponse extends Schema.Schema.Type<typeof MeasuresResponse> {}

export const MeasureMemberRow = Schema.Struct({
  ...ValueRow.fields,
  counts: Schema.optionalKey(Schema.String.annotate(says("What is counted, where members differ"))),
  rank: Schema.optionalKey(
    Schema.Int.annotate(
      says("Place among all members, from 1; absent of a sample and of a measure without places")
    )
  )
}).annotate({ identifier: "MeasureMember", description: "The value of one network" })
export interface MeasureMemberRow extends Schema.Schema.Type<typeof MeasureMemberRow> {}

export const MeasureResponse = Schema.Struct({
  sample: Schema.optionalKey(
    Schema.String.annotate(says("Of an answer that has not all members: how many of how many"))
  ),
  generated_utc: described.generated_utc,
  measure: MeasureRow,
  members: Schema.Array(MeasureMemberRow).annotate(says("In the measure's order")),
  n_members: Schema.Natural.annotate(says("Networks whose value counts now")),
  missing: Schema.Array(Schema.String).annotate(
    says("Symbols that were read once and have no value that counts")
  ),
  access: AccessNote
}).annotate({
  identifier: "MeasureResponse",
  description: "One measure over networks; a sample without a key"
})
export interface MeasureResponse extends Schema.Schema.Type<typeof MeasureResponse> {}
