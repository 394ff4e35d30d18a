/**
 * Whether the database stores what this process writes, as known from having tried: the heartbeat that the process writes every
 * few seconds, and requests whose writes the server refused. A database whose disk is full, or that became read-only, answers every
 * query and stores nothing.
 */
import { Cause, Clock, Effect, Exit } from "effect"
import { minute } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import type { Warning } from "../wire/log/readiness.ts"
import { type WriteFault, writeFaultOf } from "./errors.ts"

/** A process whose last write is older is not sent what must be stored. Milliseconds. */
export const longestUnwritten = 15_000

/** An attempt that takes longer is told, as if it had failed. Milliseconds. */
const longestAttempt = 10_000

/** A refusal of a request counts until none was seen for so long, whatever the heartbeat says. Milliseconds. */
const refusalHolds = minute

interface Fault extends WriteFault {
  readonly since: number
  /** The last time that the server refused the write of a request; undefined where only the heartbeat failed. */
  readonly refusedAt: number | undefined
  readonly requests: number
}

/** What is known of this process's writes. */
export interface Written {
  /** Milliseconds since the last heartbeat that was stored; undefined where none was. */
  readonly age: number | undefined
  /** Why nothing is stored; undefined while writes succeed. */
  readonly fault: WriteFault | undefined
  /** What `/readyz` says, as soon as a write has failed. */
  readonly warning: (Warning & { readonly code: "writes_fail" }) | undefined
  /** True if that takes the process out of service for writes. */
  readonly isReason: boolean
}

const failing = (message: string) => ({ code: "writes_fail" as const, message })

/** Follows one process's writes. `isSilent`: the database does not respond at all, which is logged elsewhere. */
export const followWrites = (isSilent: () => boolean) => {
  let storedAt: number | undefined
  let tryingSince: number | undefined
  let fault: Fault | undefined

  const begin = Effect.fnUntraced(function* (cause: WriteFault, at: number, requests: number) {
    fault = { ...cause, since: at, refusedAt: requests > 0 ? at : undefined, requests }
    if (cause.name === "no_answer" || isSilent()) return
    yield* Effect.logError("the database stores nothing; requests that write get 503", {
      cause: cause.message
    })
  })

  const end = Effect.fnUntraced(function* ({ name, requests, since }: Fault, at: number) {
    fault = undefined
    if (name === "no_answer") return
    yield* Effect.logInfo("the database stores again", {
      failed_requests: requests,
      seconds: Math.round((at - since) / 1000)
    })
  })

  /** The server refused a request's write. */
  const refused = Effect.fnUntraced(function* (cause: WriteFault) {
    const at = yield* Clock.currentTimeMillis
    if (fault === undefined || fault.name === "no_answer") return yield* begin(cause, at, 1)
    fault = { ...fault, ...cause, refusedAt: at, requests: fault.requests + 1 }
  })

  /** Makes the heartbeat's write, and keeps how it went. Never fails. */
  const attempt = <A, E, R>(write: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const begun = yield* Clock.currentTimeMillis
      tryingSince = begun
      const exit = yield* Effect.exit(write)
      tryingSince = undefined
      const at = yield* Clock.currentTimeMillis
      if (Exit.isSuccess(exit)) {
        storedAt = begun
        const isOver =
          fault !== undefined && at - (fault.refusedAt ?? Number.NEGATIVE_INFINITY) > refusalHolds
        if (fault !== undefined && isOver) yield* end(fault, at)
        return
      }
      if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
      const cause = writeFaultOf(Cause.squash(exit.cause))
      if (fault === undefined) return yield* begin(cause, at, 0)
      fault = { ...fault, ...cause }
    })

  const state: Effect.Effect<Written> = Effect.map(Clock.currentTimeMillis, (now) => {
    const age = storedAt === undefined ? undefined : Math.max(0, now - storedAt)
    const isStuck = tryingSince !== undefined && now - tryingSince > longestAttempt
    const met: WriteFault | undefined =
      fault ??
      (isStuck ? { name: "no_answer", message: "no answer came, and this process still waits" } : undefined)
    if (age === undefined && met === undefined) {
      return {
        age,
        fault: undefined,
        warning: failing("This process has not written anything to its database yet."),
        isReason: true
      }
    }
    const last =
      storedAt === undefined ? "has never stored anything" : `last stored something at ${isoTime(storedAt)}`
    return {
      age,
      fault: met,
      warning: met && failing(`The database stores nothing: ${met.message}. This process ${last}.`),
      isReason:
        met !== undefined &&
        Math.max(age ?? Number.POSITIVE_INFINITY, fault === undefined ? 0 : now - fault.since) >
          longestUnwritten
    }
  })

  return { attempt, refused, state }
}
