/** What other operators have of a value: `core/README.md`, The agreement with other operators. */
import { Schema } from "effect"

const says = (description: string) => ({ description })

const path = Schema.Array(Schema.String).annotate(says("Siblings from the leaf upwards, lower-case hex"))

export const Agreed = {
  n_observers: Schema.Natural.annotate(
    says("Other operators that published a value of the series and day at a comparable time")
  ),
  n_agree: Schema.Natural.annotate(says("How many of them have the same value, or one within the tolerance"))
}

export const AgreedValue = Schema.Struct({
  ...Agreed,
  leaf: Schema.String.annotate(says("The comparison's bytes: canonical JSON (RFC 8785)")),
  index: Schema.Natural.annotate(says("Position of the comparison in its day")),
  size: Schema.Natural.annotate(says("Comparisons of the day")),
  path,
  document: Schema.String.annotate(says("The day's document, as its entry commits to it")),
  log: Schema.Struct({
    index: Schema.Natural.annotate(says("Position of the document's entry in the log")),
    size: Schema.Natural.annotate(says("Entries of the head that the path leads to")),
    path,
    entry: Schema.String.annotate(says("The entry's bytes"))
  }).annotate(says("The entry of the day's document in the log"))
}).annotate({
  identifier: "AgreedValue",
  description:
    "Proof of what other operators have of a value (core/README.md, The agreement with other operators)"
})
export interface AgreedValue extends Schema.Schema.Type<typeof AgreedValue> {}
