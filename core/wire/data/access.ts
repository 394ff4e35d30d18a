/** How an answer says what it leaves out because of who asked. */
import { Schema } from "effect"

/** `sample`: a rotating part of the networks; `all`: every network that the endpoint covers. */
export const Breadth = Schema.Literals(["sample", "all"])
export type Breadth = typeof Breadth.Type

/** How `access` reads on the wire. */
export const AccessNote = Schema.Struct({
  breadth: Breadth.annotate({
    description: "`sample`: a part of the networks that rotates each UTC day; `all`: every network"
  }),
  history_days: Schema.NullOr(Schema.Natural).annotate({
    description: "Days of daily history this access reaches back; null: all of it"
  }),
  note: Schema.String.annotate({ description: "What this access shows, and what shows more" })
}).annotate({ identifier: "Access", description: "What the answer leaves out because of who asked" })
export interface AccessNote extends Schema.Schema.Type<typeof AccessNote> {}
