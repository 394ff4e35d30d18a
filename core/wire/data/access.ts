/** The `access` member: what the caller's tier leaves out of an answer. */
import { Schema } from "effect"

/** `sample`: a rotating subset of the networks; `all`: every network the endpoint covers. */
export const Breadth = Schema.Literals(["sample", "all"])
export type Breadth = typeof Breadth.Type

export const AccessNote = Schema.Struct({
  breadth: Breadth.annotate({
    description: "`sample`: a subset of the networks, rotated every UTC day; `all`: every network"
  }),
  history_days: Schema.NullOr(Schema.Natural).annotate({
    description: "Days of daily history this tier includes; null: all of it"
  }),
  note: Schema.String.annotate({ description: "What this tier includes, and how to get more" })
}).annotate({ identifier: "Access", description: "What this answer leaves out at the caller's tier" })
export interface AccessNote extends Schema.Schema.Type<typeof AccessNote> {}
