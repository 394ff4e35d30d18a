/** Numbers the sessions of each collector and day, and writes what becomes of them into the notary's log. */
import { Clock, Deferred, Effect, Queue } from "effect"
import { day as dayMs } from "../../core/plugin/time.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { inBackground } from "../../core/process/loop.ts"
import {
  type NotaryEntry,
  NotarySessions,
  notaryDayTag,
  notaryEntryText,
  notarySessionTag,
  parseNotaryEntry,
  type SessionEntry
} from "../../core/proof/notaryLog.ts"
import type { DiskError } from "../outside/disk.ts"
import { type LogSigner, openTileLog, type TileLog } from "./TileLog.ts"

/** Which session it is. */
export interface SessionNumber {
  readonly collector: string
  readonly day: string
  readonly n: number
}

/** What became of a session. */
export type SessionEnd =
  | { readonly what: "stated"; readonly note: string }
  | { readonly what: "refused" | "lost"; readonly why: string }

export interface Register {
  readonly log: TileLog
  /** The number of a session that begins. Its entry is on its way. */
  readonly opened: (collector: string, host: string) => Effect.Effect<SessionNumber>
  /** Returns once the entry is on disk, under a signed head. */
  readonly ended: (session: SessionNumber, end: SessionEnd) => Effect.Effect<void, DiskError>
}

interface Waiting {
  readonly line: string
  readonly isWritten: Deferred.Deferred<void, DiskError>
}

/** Entries that are written together. */
const together = 1000

const dayOf = (ms: number): string => isoTime(ms).slice(0, 10)

/** The register in a folder, until the scope closes. Sessions that a process before this one left open are lost. */
export const openRegister = Effect.fnUntraced(function* (folder: string, signer: LogSigner) {
  const sessions = new NotarySessions()
  const log = yield* openTileLog(folder, signer, (line) => sessions.add(parseNotaryEntry(line)))
  const waiting = yield* Queue.unbounded<Waiting>()

  const add = (entry: NotaryEntry): Deferred.Deferred<void, DiskError> => {
    const line = notaryEntryText(entry)
    sessions.add(entry)
    const isWritten = Deferred.makeUnsafe<void, DiskError>()
    Queue.offerUnsafe(waiting, { line, isWritten })
    return isWritten
  }
  const addSession = (
    session: SessionNumber,
    more: { readonly what: "opened"; readonly host: string } | SessionEnd
  ) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const entry: SessionEntry = { v: notarySessionTag, ...session, at: isoTime(now), ...more }
      return add(entry)
    })

  yield* inBackground(
    "writing the notary's log",
    { afterFailure: "1 second" },
    Effect.gen(function* () {
      const entries = yield* Queue.takeBetween(waiting, 1, together)
      const outcome = yield* Effect.exit(log.append(entries.map(({ line }) => line)))
      for (const { isWritten } of entries) Deferred.doneUnsafe(isWritten, outcome)
      yield* outcome
    })
  )
  for (const { collector, day, open } of sessions.openDays())
    for (const n of [...open].sort((a, b) => a - b))
      yield* addSession({ collector, day, n }, { what: "lost", why: "the notary was restarted" })
  yield* inBackground(
    "summing up a day of the notary",
    "1 minute",
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const { collector, counts, day, open } of sessions.openDays())
        if (open.size === 0 && day < dayOf(now)) add({ v: notaryDayTag, collector, day, ...counts })
      sessions.forget(dayOf(now - 7 * dayMs))
    })
  )

  const register: Register = {
    log,
    opened: Effect.fnUntraced(function* (collector, host) {
      const session = { collector, ...sessions.next(collector, dayOf(yield* Clock.currentTimeMillis)) }
      yield* addSession(session, { what: "opened", host })
      return session
    }),
    ended: (session, end) => Effect.flatMap(addSession(session, end), Deferred.await)
  }
  return register
})
