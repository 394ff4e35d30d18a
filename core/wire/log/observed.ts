/** A run in the chain of runs: `core/proof/formats/runs.md`. */
import { Schema } from "effect"

const says = (description: string) => ({ description })

const path = Schema.Array(Schema.String).annotate(says("Siblings from the leaf upwards, lower-case hex"))

export const Observed = Schema.Struct({
  leaf: Schema.String.annotate(says("The leaf's bytes: canonical JSON (RFC 8785)")),
  index: Schema.Natural.annotate(says("Position of the leaf in its hour")),
  size: Schema.Natural.annotate(says("Leaves of the hour")),
  path,
  document: Schema.String.annotate(says("The hour's document, as its entry commits to it")),
  log: Schema.Struct({
    index: Schema.Natural.annotate(says("Position of the document's entry in the log")),
    size: Schema.Natural.annotate(
      says("Entries of the head that the path leads to: /v1/log/checkpoints/{size}")
    ),
    path,
    entry: Schema.String.annotate(says("The entry's bytes"))
  }).annotate(says("The entry of the hour's document in the log"))
}).annotate({ identifier: "Observed", description: "Proof that a run is in the log" })
export interface Observed extends Schema.Schema.Type<typeof Observed> {}

export const ObservedValue = Schema.Struct({
  ...Observed.fields,
  run: Schema.String.annotate(says("The run that gave the value: /v1/derivation/{run}")),
  row: Schema.Struct({
    index: Schema.Natural.annotate(says("Position of the value's row among the rows of the run")),
    path
  }).annotate(says("The row under `rows_root` of the run's leaf"))
}).annotate({
  identifier: "ObservedValue",
  description: "Proof which run gave a value (core/proof/formats/runs.md)"
})
export interface ObservedValue extends Schema.Schema.Type<typeof ObservedValue> {}
