/** Ids and times of alerts, their crossings and their messages. */
import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"

/** A new id, such as `al_` and 24 hex digits. */
export const newId = Effect.fnUntraced(function* (prefix: "al" | "cx" | "mo" | "msg") {
  const random = yield* SecureRandom
  return `${prefix}_${Hex.encode(yield* random.randomBytes(12))}`
})

/** Messages follow the wall clock, as quotas and keys do. */
export const wallTime = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms))
