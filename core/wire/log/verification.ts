/** The checks of one published value, as the service itself makes them. */
import { Schema } from "effect"
import { ValueRow } from "../data/valueRow.ts"
import { Anchor } from "./anchor.ts"

export const VerificationCheck = Schema.Struct({
  name: Schema.String.annotate({ description: "What was looked at" }),
  result: Schema.Literals(["holds", "fails", "not_checked"]).annotate({ description: "How it came out" }),
  detail: Schema.String.annotate({ description: "What held, what did not, or why it was not looked at" })
}).annotate({ identifier: "VerificationCheck", description: "One check" })
export type VerificationCheck = typeof VerificationCheck.Type

export const VerificationResponse = Schema.Struct({
  verified: Schema.Boolean.annotate({ description: "No check failed; see those that were not made" }),
  value: ValueRow,
  date: Schema.String.annotate({ format: "date", description: "The UTC day of the value" }),
  version: Schema.Int.annotate({ description: "Newest published version of the day's value" }),
  checks: Schema.Array(VerificationCheck).annotate({
    description: "Leaf, value, batch, log, checkpoint, key, timestamp, in the order of the chain"
  }),
  anchor: Anchor,
  note: Schema.String.annotate({ description: "What this answer is worth, and how to check without us" }),
  bundle_url: Schema.String.annotate({ description: "Path of the file that proves it offline" }),
  how_to_check: Schema.String.annotate({ description: "The command that checks it without the service" })
}).annotate({ identifier: "Verification", description: "A published value, recomputed" })
export interface VerificationResponse extends Schema.Schema.Type<typeof VerificationResponse> {}
