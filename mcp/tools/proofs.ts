/** Tools that prove what was published and when. */
import { Effect, Schema } from "effect"
import { newestClosedDay } from "../../core/log/closedDays.ts"
import { footprint, mostValues } from "../../core/log/read/footprint.ts"
import { verification } from "../../core/log/read/verification.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { RecheckResponse } from "../../core/wire/data/recheck.ts"
import { FootprintResponse, KeptValue, SavedAnswer } from "../../core/wire/log/footprint.ts"
import { VerificationResponse } from "../../core/wire/log/verification.ts"
import { define, reads } from "../Tool.ts"
import { text } from "../truncate.ts"

export const verifyValue = define({
  name: "verify_value",
  title: "Verify a published value",
  description:
    "Recompute the proof of one day's value: leaf, position in the daily batch and in the log, signed checkpoint, Bitcoin " +
    "timestamp. A day is published at 08:00 UTC the next day. Says what was checked and how to verify it offline. With now, " +
    "the upstream is asked again: call again once recheck is done.",
  annotations: { ...reads, openWorldHint: true },
  input: Schema.Struct({
    symbol: Schema.String.annotate({ description: "symbol or name" }),
    metric: Schema.String.annotate({ description: "metric name from get_network" }),
    date: text("UTC day of as_of, YYYYMMDD; without it the newest closed day"),
    source: text("source label, if several feeds measure the metric"),
    now: Schema.optionalKey(Schema.Boolean.annotate({ description: "true: compare with the upstream" }))
  }),
  output: Schema.Struct({
    ...VerificationResponse.fields,
    recheck: Schema.optionalKey(
      RecheckResponse.annotate({ description: "With now: what the upstream says when it is asked again" })
    )
  }),
  depth: 1,
  run: Effect.fnUntraced(function* ({ date, now, ...value }) {
    const recheck = now === true ? yield* (yield* Rechecks).ask(value) : undefined
    const verified = yield* verification({ ...value, date: date ?? (yield* newestClosedDay) })
    return { ...verified, ...(recheck === undefined ? {} : { recheck }) }
  })
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
  depth: 1,
  run: Effect.fnUntraced(function* (input) {
    return yield* footprint(input)
  })
})
