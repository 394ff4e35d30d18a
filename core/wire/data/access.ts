/** The `access` member: what the caller's plan leaves out of an answer. */
import { Schema } from "effect"

/** `sample`: a rotating subset of the networks; `all`: every network the endpoint covers. */
export const Breadth = Schema.Literals(["sample", "all"])
export type Breadth = typeof Breadth.Type

export const AccessNote = Schema.Struct({
  breadth: Breadth.annotate({
    description: "`sample`: a subset of the networks, rotated every UTC day; `all`: every network"
  }),
  history_days: Schema.NullOr(Schema.Natural).annotate({
    description: "Days of daily history this plan includes; null: all of it"
  }),
  note: Schema.String.annotate({ description: "What this plan includes, and how to get more" })
}).annotate({ identifier: "Access", description: "What this answer leaves out under the caller's plan" })
export interface AccessNote extends Schema.Schema.Type<typeof AccessNote> {}
