/** `/v1/attest?format=evidence`: what the log has of a value beside its bundle, under the bundle's own head. */
import { Effect, Option } from "effect"
import type { Agreed } from "../../proof/agreed.ts"
import { toHex } from "../../proof/bytes.ts"
import { type Evidence, type EvidenceDocument, evidenceTag } from "../../proof/evidence.ts"
import { consistencyProof } from "../../proof/merkle.ts"
import type { AgreedValue } from "../../wire/log/attest.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import type { Head, ServedHead } from "../heads.ts"
import { Log } from "../Log.ts"
import { absence } from "./absence.ts"
import { agreedOf } from "./agreed.ts"
import { bundle } from "./bundle.ts"
import { firstKeys, loggedKeys } from "./loggedKeys.ts"
import type { ValueName } from "./notAttested.ts"
import { type AttestParams, publishedDay, valueNameOf } from "./publishedDay.ts"
import { recordCache } from "./recordCache.ts"
import { runEvidence } from "./runEvidence.ts"

interface EvidenceParams extends AttestParams {
  /** Entries of the head that all is proved under; that of the bundle without it. */
  readonly size?: number | undefined
}

/** The comparison under the newest head, which extends the bundle's checkpoint. */
const agreementUnder = (
  { n_agree: _agree, n_observers: _observers, ...agreed }: AgreedValue,
  head: Head & { readonly note: string },
  size: number
): Agreed => {
  const log = {
    ...agreed.log,
    checkpoint: head.note,
    consistency: consistencyProof(head.tree, size).map(toHex)
  }
  return { ...agreed, log }
}

/** What the log says of a value beside its keys; nothing of a day without a reading, which has no run. */
const ofValue = Effect.fnUntraced(function* (valueName: ValueName, head: ServedHead, size: number) {
  const { leaf, row } = yield* publishedDay(valueName, { size, state: head.state }, "value")
  const ofRun = yield* runEvidence(leaf.series, row, head, size)
  const agreement = yield* agreedOf(leaf.series, row, leaf.batch_day, head.size)
  return {
    ...ofRun,
    ...(Option.isNone(agreement) || head.note === null
      ? {}
      : { agreement: agreementUnder(agreement.value, { ...head, note: head.note }, size) })
  } satisfies Evidence
})

const read = Effect.fnUntraced(function* (valueName: ValueName, head: ServedHead, size: number) {
  const keys = yield* loggedKeys(size)
  const first_keys = Option.isNone(keys) ? yield* firstKeys(head, size) : undefined
  const value = yield* ofValue(valueName, head, size).pipe(
    Effect.catchTag("NotAttested", (error) =>
      error.absence === undefined ? Effect.fail(error) : Effect.succeed({})
    )
  )
  const response: EvidenceDocument = {
    v: evidenceTag,
    ...(Option.isNone(keys) ? {} : { logged_keys: keys.value }),
    ...(first_keys === undefined ? {} : { first_keys }),
    ...value
  }
  return response
})

const cachedEvidence = recordCache<EvidenceDocument>(
  1000,
  ({ observed }) => 1 + (observed?.notes?.length ?? 0)
)

/** What the log has of a day's value, or of its absence. Fails like `attest`. */
export const evidence = Effect.fn("Log.evidence")(function* ({ size, ...params }: EvidenceParams) {
  const valueName = yield* valueNameOf(params)
  const head = yield* (yield* Log).served
  const own = Effect.map(
    Effect.catchTag(bundle(params), "NotAttested", () => absence(params)),
    ({ log }) => log.size
  )
  const under = size ?? (yield* own)
  if (under < 1 || under > head.size)
    return yield* new BadParameter({
      field: "size",
      message: `size must be from 1 to ${head.size}, the entries of the log's head.`
    })
  return yield* cachedEvidence(JSON.stringify([valueName, under, head.size]), read(valueName, head, under))
})
