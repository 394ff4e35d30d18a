/** Whether a process can answer (`/readyz`), and what an operator should look at although it can. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

/** Why this process cannot answer now. */
export const Reason = Schema.Struct({
  code: Schema.Literals(["database_away", "follower_behind"]).annotate({
    description:
      "`database_away`: the database does not answer; `follower_behind`: this process has not read what others wrote"
  }),
  message: Schema.String.annotate({ description: "The same in a sentence" })
}).annotate({ identifier: "NotReadyReason", description: "Why this process cannot answer" })
export interface Reason extends Schema.Schema.Type<typeof Reason> {}

export const Warning = Schema.Struct({
  code: Schema.Literals(["feeds_failing", "readings_old", "close_missed"]).annotate({
    description:
      "`feeds_failing`: feeds that should give values give none; `readings_old`: no upstream has been read for long; `close_missed`: a day was not closed at its time"
  }),
  message: Schema.String.annotate({ description: "The same in a sentence" })
}).annotate({
  identifier: "ReadyWarning",
  description: "What an operator should look at; the service answers in spite of it"
})
export interface Warning extends Schema.Schema.Type<typeof Warning> {}

export const Readiness = Schema.Struct({
  generated_utc: described.generated_utc,
  reasons: Schema.Array(Reason),
  warnings: Schema.Array(Warning)
})
export interface Readiness extends Schema.Schema.Type<typeof Readiness> {}
