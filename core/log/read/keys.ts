/** The key document: every public key with its period of use, and the proofs of the log key's rotations. */
import { Clock, Effect } from "effect"
import { keyDocument } from "../../proof/keys.ts"
import { LogKey } from "../Log.ts"

/** As it is served now. */
export const publishedKeys = Effect.gen(function* () {
  const { keys, origin } = yield* LogKey
  return keyDocument({ origin, keys: keys(), now: yield* Clock.currentTimeMillis })
})
