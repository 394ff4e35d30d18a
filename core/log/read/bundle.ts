/** `/v1/attest?format=bundle`: one file that proves a value offline, even years later. */
import { Effect, Option } from "effect"
import type { Agreed } from "../../proof/agreed.ts"
import type { Bundle, BundleParts } from "../../proof/bundle.ts"
import { toHex } from "../../proof/bytes.ts"
import { readingLine } from "../../proof/leaf.ts"
import { consistencyProof } from "../../proof/merkle.ts"
import type { Observed } from "../../proof/observed.ts"
import type { AgreedValue } from "../../wire/log/agreed.ts"
import type { ObservedValue } from "../../wire/log/observed.ts"
import type { Head, ServedHead } from "../heads.ts"
import { Log } from "../Log.ts"
import { agreedOf } from "./agreed.ts"
import { valueOf } from "./attest.ts"
import { readingsFrom } from "./dayReadings.ts"
import { publishedKeys } from "./keys.ts"
import { versionUnder } from "./loggedKeys.ts"
import type { ValueName } from "./notAttested.ts"
import { notarisedRuns } from "./notarisedRuns.ts"
import { observedValue } from "./observedValue.ts"
import { type AttestParams, publishedDay, valueNameOf } from "./publishedDay.ts"
import { recordCache } from "./recordCache.ts"
import { headFrom } from "./underHead.ts"

/** All of a bundle but the keys, of which one may end with time alone. */
const proofOf = Effect.fnUntraced(function* (valueName: ValueName, head: ServedHead) {
  const { excluded, leaf, path, row } = yield* publishedDay(valueName, head, "whole")
  if (leaf.whole === null) return yield* Effect.die("the newest leaf of a source lacks what a bundle holds")
  const readings = readingsFrom(row, leaf.whole.readings)
  const under = yield* headFrom(leaf.log_index, { head }, { ...leaf, head: leaf.whole.head })
  const parts = {
    row: valueOf(row),
    leaf: leaf.text,
    ...(readings === undefined ? {} : { readings: readings.map(readingLine) }),
    ...(excluded === undefined ? {} : { excluded }),
    batch: { index: leaf.place, size: leaf.tree_size, path, entry: leaf.entry },
    ...under
  } satisfies Omit<BundleParts, "keys">
  const version = yield* versionUnder(under.log.size)
  if (version.v === "service-bundle-v2") return { ...version, ...parts }
  const observed = yield* observedValue(leaf.series, row, under.log.size)
  const agreement = yield* agreedOf(leaf.series, row, leaf.batch_day, head.size)
  return {
    ...version,
    ...parts,
    ...(Option.isNone(observed) ? {} : { observed: yield* withNotes(observed.value, under.log.size) }),
    ...(Option.isNone(agreement) || head.note === null
      ? {}
      : { agreement: agreementUnder(agreement.value, { ...head, note: head.note }, under.log.size) })
  }
})

/** The comparison as a bundle has it: under the newest head, which extends the bundle's checkpoint. */
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

/** The proof of a run as a bundle has it: the leaf names the run, and the notes that it names are there. */
const withNotes = Effect.fnUntraced(function* ({ run, ...observed }: ObservedValue, size: number) {
  const { again, notes } = yield* notarisedRuns(run, observed, size)
  const whole: Observed = {
    ...observed,
    ...(again.length === 0 ? {} : { again }),
    ...(notes.length === 0 ? {} : { notes })
  }
  return whole
})

/** The rest of a bundle takes as much memory as a hundred readings. */
const cachedProof = recordCache<Effect.Success<ReturnType<typeof proofOf>>>(
  2000,
  (proof) =>
    1 +
    Math.floor((proof.readings ?? []).length / 100) +
    ("observed" in proof ? (proof.observed.notes ?? []).length : 0)
)

/** The bundle of a day's value. Fails like `attest`. */
export const bundle = Effect.fn("Log.bundle")(function* (params: AttestParams) {
  const valueName = yield* valueNameOf(params)
  const head = yield* (yield* Log).served
  const proof = yield* cachedProof(JSON.stringify([valueName, head.size]), proofOf(valueName, head))
  const response: Bundle = { ...proof, keys: yield* publishedKeys }
  return response
})
