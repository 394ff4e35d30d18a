/** `/v1/attest?format=bundle`: one file that proves a value offline, even years later. */
import { Effect } from "effect"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { readingLine } from "../../proof/leaf.ts"
import type { ServedHead } from "../heads.ts"
import { Log } from "../Log.ts"
import { valueOf } from "./attest.ts"
import { readingsFrom } from "./dayReadings.ts"
import { publishedKeys } from "./keys.ts"
import type { ValueName } from "./notAttested.ts"
import { type AttestParams, publishedDay, valueNameOf } from "./publishedDay.ts"
import { recordCache } from "./recordCache.ts"
import { headFrom } from "./underHead.ts"

/** All of a bundle but the keys, of which one may end with time alone. */
const proofOf = Effect.fnUntraced(function* (valueName: ValueName, head: ServedHead) {
  const { excluded, leaf, path, row } = yield* publishedDay(valueName, head, "whole")
  if (leaf.whole === null) return yield* Effect.die("the newest leaf of a source lacks what a bundle holds")
  const readings = readingsFrom(row, leaf.whole.readings)
  return {
    v: bundleTag,
    row: valueOf(row),
    leaf: leaf.text,
    ...(readings === undefined ? {} : { readings: readings.map(readingLine) }),
    ...(excluded === undefined ? {} : { excluded }),
    batch: { index: leaf.place, size: leaf.tree_size, path, entry: leaf.entry },
    ...(yield* headFrom(leaf.log_index, { head }, { ...leaf, head: leaf.whole.head }))
  } satisfies Omit<Bundle, "keys">
})

/** The rest of a bundle takes as much memory as a hundred readings. */
const cachedProof = recordCache<Effect.Success<ReturnType<typeof proofOf>>>(
  2000,
  ({ readings = [] }) => 1 + Math.floor(readings.length / 100)
)

/** The bundle of a day's value. Fails like `attest`. */
export const bundle = Effect.fn("Log.bundle")(function* (params: AttestParams) {
  const valueName = yield* valueNameOf(params)
  const head = yield* (yield* Log).served
  const proof = yield* cachedProof(JSON.stringify([valueName, head.size]), proofOf(valueName, head))
  const response: Bundle = { ...proof, keys: yield* publishedKeys }
  return response
})
