/** Verifies a published value from its bundle, like `plumbline verify value`, but run by the service. */
import { Effect } from "effect"
import { allHold, type Check } from "../../proof/check.ts"
import { verifyBundle } from "../../proof/verifyBundle.ts"
import type { VerificationCheck, VerificationResponse } from "../../wire/log/verification.ts"
import { attest } from "./attest.ts"
import { attestPath } from "./attestPath.ts"
import { bundle } from "./bundle.ts"
import { evidence } from "./evidence.ts"
import type { AttestParams } from "./publishedDay.ts"

const results = {
  true: "holds",
  false: "fails",
  "not proved": "not_checked",
  "not checked": "not_checked"
} as const

/** Whose key it is a service cannot say of itself, and its own answer is no place to hand a key over. */
const ownKey = "get the operator's key elsewhere, for how_to_check"

export const checkOf = ({ detail, name, ok }: Check): VerificationCheck => ({
  name,
  result: results[`${ok}`],
  detail: name === "operator's key" ? ownKey : detail
})

/** Makes every check of a day's bundle. Fails like `attest`. */
export const verification = Effect.fn("Log.verification")(function* (params: AttestParams) {
  const { anchor, date, excluded, how_to_check, value, versions } = yield* attest(params)
  const file = yield* bundle(params)
  const { checks } = verifyBundle(file, {
    evidence: yield* evidence({ ...params, size: file.log.size }),
    about: { symbol: value.symbol, metric: params.metric, day: date },
    network: file.anchor.network
  })
  const response: VerificationResponse = {
    verified: allHold(checks),
    value,
    date,
    ...(excluded === undefined ? {} : { excluded }),
    version: versions[0]?.version ?? 1,
    checks: checks.map(checkOf),
    anchor,
    note:
      "Recomputed by the service from its own bundle. To verify it yourself, run how_to_check, or check the file at bundle_url." +
      (file.anchor.network === "bitcoin" ? "" : " The anchor is on a test network, so it proves no time."),
    bundle_url: attestPath({ ...value, day: date }, "bundle4"),
    how_to_check
  }
  return response
})
