/** Tools that prove what was published and when. */
import { Effect, Option, Schema } from "effect"
import { newestClosedDay } from "../../core/log/closedDays.ts"
import { archivedFile } from "../../core/log/record/archive.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { footprint, mostValues } from "../../core/log/record/footprint.ts"
import type { AttestParams } from "../../core/log/record/publishedDay.ts"
import { verification } from "../../core/log/record/verification.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { RecheckResponse } from "../../core/wire/data/recheck.ts"
import { FootprintResponse, KeptValue, SavedAnswer } from "../../core/wire/log/footprint.ts"
import { VerificationResponse } from "../../core/wire/log/verification.ts"
import { Linked, linkTo, uriOf } from "../links.ts"
import { define, reads } from "../Tool.ts"
import { text } from "../truncate.ts"

/** The file that proves the value offline. */
const bundleLink = Effect.fnUntraced(function* (params: AttestParams, { date, value }: VerificationResponse) {
  const { metric, source, symbol } = value
  return linkTo({
    uri: uriOf("bundle", [symbol, metric, date], { source }),
    name: `${symbol}-${metric}-${date}.json`,
    title: "Proof for offline verification",
    mimeType: "application/json",
    size: Buffer.byteLength(JSON.stringify(yield* bundle(params)))
  })
})

/** The file of the day with every value that was published; none before it is made. */
const archiveLink = Effect.fnUntraced(function* (day: string, baseUrl: string) {
  const name = `daily/${day.replaceAll("-", "/")}.parquet`
  const file = yield* Effect.option(archivedFile(name))
  return Option.toArray(file).map(({ bytes }) =>
    linkTo({
      uri: `${baseUrl}/v1/archive/${name}`,
      name,
      title: "Every value of the day",
      mimeType: "application/vnd.apache.parquet",
      size: bytes
    })
  )
})

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
    source: text("source label, if several measure it"),
    now: Schema.optionalKey(Schema.Boolean.annotate({ description: "true: compare with the upstream" }))
  }),
  output: Schema.Struct({
    ...VerificationResponse.fields,
    recheck: Schema.optionalKey(
      RecheckResponse.annotate({ description: "With now: what the upstream says when it is asked again" })
    )
  }),
  depth: 1,
  run: Effect.fnUntraced(function* ({ date, now, ...value }, call) {
    const recheck = now === true ? yield* (yield* Rechecks).ask(value, call.network) : undefined
    const params = { ...value, date: date ?? (yield* newestClosedDay) }
    const verified = yield* verification(params)
    const links = [yield* bundleLink(params, verified), ...(yield* archiveLink(verified.date, call.baseUrl))]
    return new Linked({ ...verified, ...(recheck === undefined ? {} : { recheck }) }, links)
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
