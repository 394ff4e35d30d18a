/** How keys come to be: new files, files that are taken over, and the rotation of the log's key. */
import { Clock, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { databaseTime } from "../../core/clock/databaseTime.ts"
import { rotateLogKey } from "../../core/log/rotation.ts"
import { enter, signingKeys } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { program } from "../../core/process/program.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { requireTrusted } from "../../core/readings/TrustedClock.ts"
import { restoring } from "../settings/restoring.ts"
import { answerKeyGrace, Keyring, makeNext } from "./Keyring.ts"
import { exists, type KeyFile, KeyUnusable, makeKeyFile, nextOf, readHalf, settingOf } from "./keyFiles.ts"

const knownFor = Effect.fnUntraced(function* ({ purpose }: KeyFile) {
  const keys = (yield* signingKeys).filter((key) => key.purpose === purpose)
  return { keys, current: keys.find(({ notAfter }) => notAfter === null) }
})

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000

const enterFirst = Effect.fnUntraced(function* ({ file, purpose }: KeyFile) {
  const sql = yield* SqlClient.SqlClient
  const { kid, publicKey } = yield* readHalf(purpose, file)
  const now = wholeSecond(yield* Clock.currentTimeMillis)
  yield* sql.withTransaction(enter(purpose, publicKey, { announcedAt: now, notBefore: now, endOfOld: now }))
  return kid
})

/** Makes the file and enters its key, if SQL knows no key of this purpose yet; `created` is false if all is there already. */
export const makeNew = Effect.fn("newKeys.makeNew")(function* (file: KeyFile) {
  const { current } = yield* knownFor(file)
  const there = yield* exists(file.file)
  if (current === undefined) {
    if (there) {
      return yield* new KeyUnusable({
        message: `${settingOf[file.purpose]}: ${file.file} exists already and was not changed; take it over with: ${program} key adopt --purpose ${file.purpose}`
      })
    }
    yield* makeKeyFile(file.file)
    return { kid: yield* enterFirst(file), created: true }
  }
  const kid = thumbprint(current.publicKey)
  return there
    ? { kid, created: false }
    : yield* new KeyUnusable({
        message: `${settingOf[file.purpose]}: this database knows the key ${kid} already; put its file at ${file.file}. ${restoring}`
      })
})

/** Enters the key of an existing file. One for answers takes over from a key whose file is lost. */
export const adopt = Effect.fn("newKeys.adopt")(function* (file: KeyFile) {
  const { current, keys } = yield* knownFor(file)
  const { kid, publicKey } = yield* readHalf(file.purpose, file.file)
  if (current === undefined) return { kid: yield* enterFirst(file), notBefore: undefined }
  if (keys.some((key) => thumbprint(key.publicKey) === kid)) {
    return yield* new KeyUnusable({ message: `this database knows the key ${kid} in ${file.file} already` })
  }
  if (file.purpose === "log") {
    return yield* new KeyUnusable({
      message: `the log is signed by ${thumbprint(current.publicKey)}, whose file must be at ${file.file}: nobody would believe a log that another key goes on with. ${restoring}. To replace a key that you have: ${program} key rotate --purpose log`
    })
  }
  const sql = yield* SqlClient.SqlClient
  const now = yield* databaseTime
  const notBefore = wholeSecond(now) + 1000
  yield* sql.withTransaction(
    enter("answers", publicKey, {
      announcedAt: wholeSecond(now),
      notBefore,
      endOfOld: notBefore + answerKeyGrace
    })
  )
  return { kid, notBefore: isoTime(notBefore) }
})

/**
 * Rotates the log's key at a time of the data clock: makes the next key's file, and puts the rotation into the log. Both
 * keys sign every head from then on.
 */
export const rotateLog = Effect.fn("newKeys.rotateLog")(function* (at: number) {
  yield* requireTrusted
  const { files, refresh } = yield* Keyring
  const next = yield* makeNext(files.log, yield* signingKeys)
  const rotation = yield* rotateLogKey(next, at)
  yield* refresh
  return { kid: next.kid, file: nextOf(files.log.file), rotation }
})
