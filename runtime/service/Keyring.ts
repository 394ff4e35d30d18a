/**
 * The signing keys of a running service. SQL says which key signs what and when; the files hold the private halves. Every
 * process hears of a rotation and reads the table again, and does so every few seconds anyway: a file may come, and a key
 * come into use.
 */
import { Clock, Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../core/clock/DataClock.ts"
import { databaseTime } from "../../core/clock/databaseTime.ts"
import { EventKey } from "../../core/events/EventKey.ts"
import { LogHalted, LogKey } from "../../core/log/Log.ts"
import { beginAt, enter, signingKeys } from "../../core/log/signingKeys.ts"
import { minute } from "../../core/plugin/time.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { inBackground } from "../../core/process/loop.ts"
import { program } from "../../core/process/program.ts"
import { type PublishedKey, thumbprint } from "../../core/proof/keys.ts"
import { Changes } from "../../core/readings/Changes.ts"
import {
  type ClockInDoubt,
  ifTrusted,
  requireTrusted,
  TrustedClock
} from "../../core/readings/TrustedClock.ts"
import { Signer } from "../../http/signing/Signer.ts"
import { restoring } from "../settings/restoring.ts"
import {
  exists,
  type Half,
  type KeyFile,
  KeyUnusable,
  makeKeyFile,
  nextOf,
  type Purpose,
  promote,
  purposes,
  readHalf,
  readHalves,
  retiredOf,
  settingOf
} from "./keyFiles.ts"

/** How long the old answer key stays valid after the new one signs: for a process that learns of the rotation late. */
export const answerKeyGrace = 5 * minute

/** How often each process reads which keys there are. */
const reading = "5 seconds"

export interface KeyringOptions {
  readonly files: Readonly<Record<Purpose, KeyFile>>
  readonly origin: string
  /** True in the demo. */
  readonly simulated: boolean
  /** From when the first log key signs, epoch milliseconds; by default, from now on. The demo's days lie in its past. */
  readonly logSince?: number
  /** Milliseconds between the announcement of an answer key and its first signature. */
  readonly notice: number
}

/** An announced answer key. */
export interface Announced {
  readonly kid: string
  /** When it takes over, ISO 8601 UTC. */
  readonly notBefore: string
  /** Where its private half is. */
  readonly file: string
}

/** The keys of this process. */
export class Keyring extends Context.Service<
  Keyring,
  {
    readonly files: Readonly<Record<Purpose, KeyFile>>
    /** Announces a new answer key; all processes switch to it at its `notBefore`. */
    readonly rotateAnswers: Effect.Effect<Announced, ClockInDoubt | KeyUnusable | SqlError>
    /** Reads the table, and the files of keys that this process does not hold yet. */
    readonly refresh: Effect.Effect<void, SqlError>
  }
>()("runtime/Keyring") {}

const whole = (ms: number): number => Math.floor(ms / 1000) * 1000

const kidOf = (key: PublishedKey): string => thumbprint(key.publicKey)

/**
 * The key of a file as SQL knows it. An empty table takes the service's own file, which is made if it is missing; anything
 * else that SQL does not know is refused.
 */
const openFile = Effect.fnUntraced(function* (
  file: KeyFile,
  published: ReadonlyArray<PublishedKey>,
  since: number | undefined
) {
  const current = published.find(({ notAfter }) => notAfter === null)
  if (!(yield* exists(file.file))) {
    if (current !== undefined) return yield* new KeyUnusable({ message: missing(file, current) })
    if (file.own) yield* makeKeyFile(file.file)
    else yield* Effect.fail(uncreated(file))
  }
  if (current !== undefined && since !== undefined) yield* beginAt(file.purpose, since)
  const halves = yield* readHalves(file, published.filter(({ notAfter }) => notAfter === null).map(kidOf))
  if (current === undefined && file.own) {
    const now = whole(yield* Clock.currentTimeMillis)
    const [first] = halves
    if (first !== undefined) {
      yield* enter(file.purpose, first.publicKey, {
        announcedAt: now,
        notBefore: since ?? now,
        endOfOld: now
      })
    }
    return halves
  }
  const kids = new Set(published.map(kidOf))
  const half = halves.find(({ kid }) => kids.has(kid))
  if (half === undefined) {
    const setting = settingOf[file.purpose]
    return yield* new KeyUnusable({
      message:
        current === undefined
          ? `${setting}: this database knows no key for ${file.purpose} yet; take over the one in ${file.file} with: ${program} key adopt --purpose ${file.purpose}`
          : `${setting}: ${file.file} holds the key ${halves[0]?.kid}, but this database knows ${kidOf(current)}; put that key's file there. ${restoring}` +
            (file.purpose === "answers"
              ? `; if no backup has it, take over this one with: ${program} key adopt --purpose ${file.purpose}`
              : "")
    })
  }
  return halves
})

/** A key that signed before is never replaced by a new one: only its own file continues what it signed. */
const missing = (file: KeyFile, key: PublishedKey): string =>
  `${settingOf[file.purpose]}: ${file.file} does not exist, and this database knows the key ${kidOf(key)}, which signs ${
    file.purpose === "log" ? "its log" : "its answers"
  }; put that key's file there. ${restoring}`

const uncreated = ({ file, purpose }: KeyFile) =>
  new KeyUnusable({
    message: `${settingOf[purpose]}: ${file} does not exist; create it with: ${program} key new`
  })

/** A key that this process lacks. */
interface Lacking {
  /** True if the key signs already. */
  readonly signs: boolean
  readonly message: string
}

/** Opens the key files of a service against SQL. */
export const makeKeyring = Effect.fnUntraced(function* (options: KeyringOptions) {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* Changes
  const clock = yield* TrustedClock
  const { files, notice } = options
  const halves = new Map<string, Half>()
  let keys: ReadonlyArray<PublishedKey> = yield* signingKeys
  /** How far the database's clock is ahead of this process's. */
  let ahead = 0

  const halfOf = (key: PublishedKey) => halves.get(kidOf(key))
  const cacheHalves = (read: ReadonlyArray<Half>) => {
    for (const half of read) halves.set(half.kid, half)
  }

  /** Answer keys that may sign at a time by this process's clock and by the database's, the newest first. */
  const inUse = (at: number) =>
    keys.filter(
      ({ notBefore, purpose }) => purpose === "answers" && Date.parse(notBefore) <= Math.min(at, at + ahead)
    )

  const key = (at: number): Half => {
    for (const one of [...inUse(at), ...keys.filter(({ purpose }) => purpose === "answers").toReversed()]) {
      const half = halfOf(one)
      if (half !== undefined) return half
    }
    throw new Error("no answer key is open")
  }

  const lackingAt = (now: Times): Lacking | undefined => {
    const [newest] = inUse(now.answers)
    const lacks = open(keys, now).filter((key) => halfOf(key) === undefined)
    const signing = lacks.find((key) => key.purpose === "log" || key === newest)
    const one = signing ?? lacks.find(({ notBefore }) => now.answers < Date.parse(notBefore))
    if (one === undefined) return undefined
    return {
      signs: signing !== undefined,
      message: `${settingOf[one.purpose]}: this process lacks the key ${kidOf(one)}, which signs ${
        one.purpose === "log" ? "the log" : "answers"
      } from ${one.notBefore}; copy its file from where it was made to ${nextOf(files[one.purpose].file)}. ${restoring}`
    }
  }

  const look = Effect.gen(function* () {
    const read = yield* signingKeys
    // Measured from before the question: the way there never makes a process later than the database.
    const requestedAt = yield* Clock.currentTimeMillis
    ahead = (yield* databaseTime) - requestedAt
    const now = yield* times
    for (const purpose of purposes) {
      if (open(read, now).some((key) => key.purpose === purpose && halfOf(key) === undefined)) {
        // The file of a rotation may come at any time.
        const kids = open(read, now).map(kidOf)
        cacheHalves(yield* Effect.orElseSucceed(readHalves(files[purpose], kids), () => []))
      }
      yield* settle(files[purpose], read, now)
    }
    // After their files: no key counts as missing because its file was not read yet.
    const isNew = read.length !== keys.length
    keys = read
    if (isNew) yield* changes.take(yield* changes.read(["keys"]))
  }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provideService(TrustedClock, clock),
    Effect.withSpan("Keyring.refresh")
  )

  for (const purpose of purposes) {
    cacheHalves(
      yield* openFile(
        files[purpose],
        keys.filter((key) => key.purpose === purpose),
        purpose === "log" ? options.logSince : undefined
      )
    )
  }
  keys = yield* signingKeys
  yield* look
  const lacking = Effect.map(times, lackingAt)
  const lack = yield* lacking
  if (lack?.signs === true) return yield* new KeyUnusable({ message: lack.message })

  const rotateAnswers = Effect.gen(function* () {
    yield* requireTrusted
    yield* look
    const now = yield* databaseTime
    const [newest, before] = keys.filter(({ purpose }) => purpose === "answers")
    const until = Math.max(
      Date.parse(newest?.notBefore ?? ""),
      before?.notAfter == null ? 0 : Date.parse(before.notAfter)
    )
    if (newest === undefined || now <= until) {
      return yield* new KeyUnusable({
        message: `the last rotation of the answer key ends at ${isoTime(until)}; rotate after that`
      })
    }
    const next = yield* makeNext(files.answers, keys)
    const notBefore = whole(now + notice) + 1000
    yield* sql.withTransaction(
      enter("answers", next.publicKey, {
        announcedAt: whole(now),
        notBefore,
        endOfOld: notBefore + answerKeyGrace
      })
    )
    yield* look
    return { kid: next.kid, notBefore: isoTime(notBefore), file: nextOf(files.answers.file) }
  }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.provideService(TrustedClock, clock),
    Effect.withSpan("Keyring.rotateAnswers")
  )

  const signers = Effect.gen(function* () {
    yield* look
    const signing = open(keys, yield* times).filter(({ purpose }) => purpose === "log")
    const signingHalves = signing.flatMap((key) => halfOf(key) ?? [])
    return signingHalves.length === signing.length
      ? signingHalves
      : yield* new LogHalted({ message: (yield* lacking)?.message ?? "a log key is missing" })
  })

  yield* changes.onElsewhere("keys", look)
  yield* inBackground("reading the signing keys", reading, look)
  return Context.make(Signer, Signer.of({ key })).pipe(
    Context.add(EventKey, EventKey.of({ key })),
    Context.add(Keyring, Keyring.of({ files, rotateAnswers, refresh: look })),
    Context.add(
      LogKey,
      LogKey.of({
        origin: options.origin,
        simulated: options.simulated,
        keys: () => keys,
        signers,
        lacking
      })
    )
  )
})

/** Answers are signed by the wall clock, heads by the clock of the data: the two differ in the demo. */
interface Times {
  readonly answers: number
  readonly log: number
}

const times = Effect.all({ answers: Clock.currentTimeMillis, log: DataClock.now })

/** Keys that sign or will sign. */
const open = (keys: ReadonlyArray<PublishedKey>, now: Times) =>
  keys.filter(({ notAfter, purpose }) => notAfter === null || now[purpose] <= Date.parse(notAfter))

/** Puts the next key into the file once the old one is retired. Where the folder is read-only, both stay as they are. */
const settle = Effect.fnUntraced(function* (file: KeyFile, keys: ReadonlyArray<PublishedKey>, now: Times) {
  if (!(yield* exists(nextOf(file.file)))) return
  const [old, next] = yield* Effect.orElseSucceed(readHalves(file), () => [])
  const kids = new Set(open(keys, now).map(kidOf))
  if (old !== undefined && next !== undefined && kids.has(next.kid) && !kids.has(old.kid)) {
    yield* Effect.ignore(ifTrusted(promote(file, old.kid)))
  }
})

/**
 * The next key, in a file of its own. One that a killed rotation left is used: nothing was ever announced of it.
 */
export const makeNext = Effect.fnUntraced(function* (
  { file, purpose }: KeyFile,
  keys: ReadonlyArray<PublishedKey>
) {
  yield* makeKeyFile(nextOf(file))
  const next = yield* readHalf(purpose, nextOf(file))
  return keys.some((key) => kidOf(key) === next.kid)
    ? yield* new KeyUnusable({
        message: `${nextOf(file)} is the key of the last rotation; rename ${file} to ${retiredOf(file, (yield* readHalf(purpose, file)).kid)}, then ${nextOf(file)} to ${file}, then rotate again`
      })
    : next
})

/** `Signer`, `LogKey` and `Keyring` over the key files. */
export const layer = (options: KeyringOptions) =>
  Layer.effectContext(makeKeyring(options)).pipe(Layer.provide(Changes.layer))
