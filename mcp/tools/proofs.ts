/** Tools that prove what was published and when. */
import { Effect, Schema } from "effect"
import { footprint, mostValues } from "../../core/log/read/footprint.ts"
import { verification } from "../../core/log/read/verification.ts"
import { FootprintResponse, KeptValue, SavedAnswer } from "../../core/wire/log/footprint.ts"
import { VerificationResponse } from "../../core/wire/log/verification.ts"
import { define, reads } from "../Tool.ts"
import { text } from "../truncate.ts"

export const verifyValue = define({
  name: "verify_value",
  title: "Verify a published value",
  description:
    "Recompute the proof of one day's value: leaf, position in the daily batch and in the log, signed checkpoint, Bitcoin " +
    "timestamp. A day is published at 08:00 UTC the next day. Says what was checked and how to verify it offline.",
  annotations: reads,
  input: Schema.Struct({
    symbol: Schema.String.annotate({ description: "symbol or name" }),
    metric: Schema.String.annotate({ description: "metric name from get_network" }),
    date: Schema.String.annotate({ description: "the UTC day of as_of, YYYYMMDD or YYYY-MM-DD" }),
    source: text("source label, if several feeds measure the metric")
  }),
  output: VerificationResponse,
  run: (input) => verification(input)
})

export const verifyFootprint = define({
  name: "verify_footprint",
  title: "Verify values you saved",
  description:
    "Compare values you saved, or a saved response of this service, with what was published: which are proved, still " +
    "served, superseded, different or unknown. Send values or response, not both.",
  annotations: reads,
  input: Schema.Struct({
    values: Schema.optionalKey(
      Schema.Array(KeptValue).annotate({ description: `up to ${mostValues} values as you received them` })
    ),
    response: Schema.optionalKey(SavedAnswer)
  }),
  output: FootprintResponse,
  run: Effect.fnUntraced(function* (input) {
    return yield* footprint(input)
  })
})
