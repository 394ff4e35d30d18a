/** `/v1/diff`. */
import { Schema } from "effect"
import { AccessNote } from "./access.ts"
import { rights } from "./rights.ts"
import { described } from "./valueRow.ts"

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

export const DayValue = Schema.Struct({
  value: Schema.Finite.annotate({ description: "Last accepted reading of the day" }),
  value_text: described.value_text,
  n_observations: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
    description: "Readings accepted that day"
  }),
  as_of: described.as_of
}).annotate({ identifier: "DayValue", description: "The value of a day, as it was known at one moment" })
export interface DayValue extends Schema.Schema.Type<typeof DayValue> {}

export const reasons = ["reading", "late", "revision", "incident", "method"] as const

export const Difference = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  unit: described.unit,
  date: Schema.String.annotate({ format: "date", description: "The UTC day whose value differs" }),
  change: Schema.Literals(["added", "revised", "withdrawn"]).annotate({
    description:
      "`added`: the day had no value at `from`; `withdrawn`: it no longer has one at `to`; `revised`: it has another"
  }),
  reasons: Schema.Array(Schema.Literals(reasons)).annotate({
    description:
      "Every cause. `reading`: readings of a day that was open at `from`; `late`: readings that came after the day was " +
      "closed; `revision`: the upstream restated a reading; `incident`: readings were excluded, or accepted again; " +
      "`method`: recorded answers of the upstream were read again with other code (/v1/revisions names both codes)"
  }),
  before: Schema.optionalKey(DayValue),
  after: Schema.optionalKey(DayValue),
  incidents: Schema.optionalKey(
    Schema.Array(Schema.Natural).annotate({
      description: "Incidents behind it, by their `id` in /v1/incidents"
    })
  ),
  revisions: Schema.optionalKey(
    Schema.Array(Schema.Natural).annotate({
      description: "Revisions behind it, by their `id` in /v1/revisions"
    })
  ),
  verify_url: described.verify_url,
  proof: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Path of the proof, once the day was closed at `to`: its `versions` are all published values of the day, each with its leaf"
    })
  ),
  uncertain: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description:
        "The day's readings are no longer retained: these are the newest day versions recorded by then"
    })
  ),
  simulated: described.simulated,
  ...rights
}).annotate({ identifier: "Difference", description: "A day whose value differs between two moments" })
export interface Difference extends Schema.Schema.Type<typeof Difference> {}

export const DifferenceResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  from: time("The earlier moment"),
  to: time("The later moment"),
  differences: Schema.Array(Difference).annotate({
    description:
      "By symbol, metric, source and day. A page may have fewer than `limit`, or none, and still have a next one"
  }),
  access: AccessNote,
  next_cursor: described.next_cursor
}).annotate({ identifier: "DifferenceResponse", description: "What changed between two publications" })
export interface DifferenceResponse extends Schema.Schema.Type<typeof DifferenceResponse> {}
