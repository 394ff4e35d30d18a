/** A published value recomputed from its bundle: what `plumbline verify value` does, done by the service (spec 4.6). */
import { Effect, Schema } from "effect"
import { ValueRow } from "../../data/read/valueRow.ts"
import { allHold, type Check } from "../../proof/check.ts"
import { verifyBundle } from "../../proof/verifyBundle.ts"
import { Anchor } from "./anchor.ts"
import { attest } from "./attest.ts"
import { bundle } from "./bundle.ts"

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

const results = { true: "holds", false: "fails", "not checked": "not_checked" } as const

export const checkOf = ({ detail, name, ok }: Check): VerificationCheck => ({
  name,
  result: results[`${ok}`],
  detail
})

/** Takes the bundle of a day's value and makes every check of it. Fails as `attest` does. */
export const verification = Effect.fn("verification")(function* (asked: {
  readonly symbol: string
  readonly metric: string
  readonly date: string
}) {
  const { anchor, date, how_to_check, value, versions } = yield* attest(asked)
  const file = yield* bundle(asked)
  const { checks } = verifyBundle(file, {
    about: { symbol: asked.symbol, metric: asked.metric, day: date },
    network: file.anchor.network
  })
  const response: VerificationResponse = {
    verified: allHold(checks),
    value,
    date,
    version: versions[0]?.version ?? 1,
    checks: checks.map(checkOf),
    anchor,
    note:
      "Recomputed by the service from its own bundle: leaf hash, both Merkle paths, checkpoint signature, timestamp. " +
      "To trust nobody, run how_to_check, or check the file at bundle_url offline." +
      (file.anchor.network === "bitcoin" ? "" : " The anchor is of a test network: it proves no time."),
    bundle_url: `/v1/attest?symbol=${asked.symbol}&metric=${encodeURIComponent(asked.metric)}&date=${asked.date}&format=bundle`,
    how_to_check
  }
  return response
})
