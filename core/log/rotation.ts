/** The rotation of the log's key: a note that the old and the new key sign, in the log under a head that both sign. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import { utf8 } from "../proof/bytes.ts"
import { vkey } from "../proof/checkpoint.ts"
import { tagged } from "../proof/leaf.ts"
import {
  type Rotation,
  rotationNote,
  rotationOverlap,
  rotationSubject,
  rotationTag,
  rotationText
} from "../proof/rotation.ts"
import { keepNote } from "./document.ts"
import { keysEntries } from "./keysEntry.ts"
import { type HeadSigner, Log, LogHalted, LogKey } from "./Log.ts"
import { enter } from "./signingKeys.ts"

/**
 * Lets a new key sign the log from `at` (epoch milliseconds) on, beside the old one, which signs for another 30 days. All in
 * one transaction: the table, the note, its entry, and the first head that both keys sign.
 */
export const rotateLogKey = Effect.fn("Log.rotateLogKey")(function* (next: HeadSigner, at: number) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const { origin, signers, simulated } = yield* LogKey
  const notBefore = Math.floor(at / 1000) * 1000
  const work = Effect.gen(function* () {
    // Orders it with every other signer: whoever signs next sees both keys.
    yield* sql`lock table log_entry in exclusive mode`
    const [old, ...others] = yield* signers
    if (old === undefined || others.length > 0) {
      return yield* new LogHalted({
        message: "two keys sign the log until the last rotation is 30 days old; rotate after that"
      })
    }
    const rotation: Rotation = {
      v: tagged(rotationTag, simulated),
      origin,
      old: vkey(origin, old.publicKey),
      new: vkey(origin, next.publicKey),
      not_before: isoTime(notBefore),
      not_after: isoTime(notBefore + rotationOverlap),
      ...(simulated ? { simulated: true } : {})
    }
    const text = utf8(rotationText(rotation))
    const note = rotationNote(rotation, { old: old.sign(text), new: next.sign(text) })
    const subject = rotationSubject(rotation)
    yield* enter("log", next.publicKey, {
      announcedAt: notBefore,
      notBefore,
      endOfOld: notBefore + rotationOverlap
    })
    const entry = yield* keepNote({ kind: "rotation", subject, body: note }, at, simulated)
    const keys = yield* keysEntries(at, simulated)
    const place = yield* log.append([entry, ...keys.entries], at)
    yield* keys.placed(place + 1)
    yield* sql`update signing_key set log_index = ${place} where kid = ${subject}`
    return rotation
  })
  const rotation = yield* sql.withTransaction(work)
  yield* log.refresh
  return rotation
})
