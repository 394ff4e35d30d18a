/** The service's own checks of one published value. */
import { Schema } from "effect"
import { ValueRow } from "../data/valueRow.ts"
import { Anchor } from "./anchor.ts"
import { AttestResponse } from "./attest.ts"

export const VerificationCheck = Schema.Struct({
  name: Schema.String.annotate({ description: "What was checked" }),
  result: Schema.Literals(["holds", "fails", "not_checked"]).annotate({ description: "Result of the check" }),
  detail: Schema.String.annotate({
    description: "What was confirmed, what failed, or why it was not checked"
  })
}).annotate({ identifier: "VerificationCheck", description: "One check" })
export type VerificationCheck = typeof VerificationCheck.Type

export const VerificationResponse = Schema.Struct({
  verified: Schema.Boolean.annotate({
    description: "True if no check failed; some checks may be `not_checked`"
  }),
  value: ValueRow,
  date: Schema.String.annotate({ format: "date", description: "The UTC day of the value" }),
  excluded: AttestResponse.fields.excluded,
  version: Schema.Int.annotate({ description: "Newest published version of the day's value" }),
  checks: Schema.Array(VerificationCheck).annotate({
    description: "Leaf, value, batch, log, checkpoint, key and timestamp, in chain order"
  }),
  anchor: Anchor,
  note: Schema.String.annotate({
    description: "How far to trust this answer, and how to verify it independently"
  }),
  bundle_url: Schema.String.annotate({ description: "Path of a file that proves the value offline" }),
  how_to_check: Schema.String.annotate({
    description: "A command that verifies the value without the service"
  })
}).annotate({ identifier: "Verification", description: "A published value with its proof recomputed" })
export interface VerificationResponse extends Schema.Schema.Type<typeof VerificationResponse> {}
