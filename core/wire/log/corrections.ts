/** `/v1/corrections`. */
import { Schema } from "effect"
import { Revision } from "../data/revisions.ts"
import { described } from "../data/valueRow.ts"
import { Incident } from "./incidents.ts"

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

export const Report = Schema.Struct({
  id: Schema.Natural.annotate({ description: "Number of the report" }),
  symbol: described.symbol,
  metric: described.metric,
  date: Schema.optionalKey(
    Schema.String.annotate({
      format: "date",
      description: "The UTC day that it is about, if it is about one"
    })
  ),
  what: Schema.String.annotate({ description: "What was reported, in the operator's words" }),
  received_utc: time("When it was entered"),
  outcome: Schema.Literals(["open", "corrected", "right_as_published", "upstream_wrong"]).annotate({
    description:
      "`open`: nobody has settled it; `corrected`: it was right, and an incident or a revision says what changed; " +
      "`right_as_published`: the figure is what its source says and what its definition means; `upstream_wrong`: the source itself is wrong"
  }),
  note: Schema.optionalKey(Schema.String.annotate({ description: "What was found" })),
  settled_utc: Schema.optionalKey(time("When it was settled"))
}).annotate({ identifier: "Report", description: "A figure that somebody reported as wrong" })
export interface Report extends Schema.Schema.Type<typeof Report> {}

export const CorrectionsResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  incidents: Schema.Array(Incident).annotate({
    description: "Readings that are or were withheld: the newest 100 of /v1/incidents"
  }),
  revisions: Schema.Array(Revision).annotate({
    description: "Published values that changed: the newest 100 of /v1/revisions"
  }),
  reports: Schema.Array(Report).annotate({ description: "What readers reported: the newest 100" })
}).annotate({
  identifier: "CorrectionsResponse",
  description: "Everything that was put right, withheld or reported, in one signed answer"
})
export interface CorrectionsResponse extends Schema.Schema.Type<typeof CorrectionsResponse> {}
