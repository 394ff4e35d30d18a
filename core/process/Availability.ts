/**
 * Whether this process can answer: its database responds, stores what is written, and the process has caught up with what others
 * wrote. Logs an outage once when it begins and once when it ends. Only a probe says that the database does not respond: what a
 * request met may be of that request alone.
 *
 * A database that others share is away for them as well: what this process has in memory is all that anybody can read then,
 * so it goes on. A process that is behind while the database responds is alone with that, and others answer better.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Queue } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { minute } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import type { Reason } from "../wire/log/readiness.ts"
import { lineOf, writeRefusal } from "./errors.ts"
import { inBackground } from "./loop.ts"
import { pulse } from "./Pulse.ts"
import { followWrites, type Written } from "./writes.ts"

/** How often to probe the database; a request that cannot reach it triggers a probe at once. */
const every = "5 seconds"
/** Longer than any of our queries may hold the embedded engine's only session. */
const probeTimeout = "10 seconds"
/** A process that follows others looks every second whether it has applied what they wrote. */
const longestBehind = 5000

/** How often to log that requests fail at a database that responds. Milliseconds. */
const unlikelyEvery = minute

interface Outage {
  readonly since: number
  /** Requests that failed so far. */
  readonly requests: number
}

export class Availability extends Context.Service<
  Availability,
  {
    /** Reports a request that could not reach the database, or whose write it could not store. */
    readonly missed: (error: unknown) => Effect.Effect<void>
    /** Tries to store this process's heartbeat by `write`, and keeps how that went. */
    readonly beat: <E, R>(write: Effect.Effect<unknown, E, R>) => Effect.Effect<void, never, R>
    /** Whether the database stores what this process writes. From memory: no request writes. */
    readonly written: Effect.Effect<Written>
    /**
     * Reports that this process has applied what others wrote until then, epoch milliseconds. From the first call on, others
     * share the database, and this process counts as behind if calls stop.
     */
    readonly followed: (at: number) => Effect.Effect<void>
    /** Why this process cannot answer; empty if it can. From memory, so a probe costs no query. */
    readonly reasons: Effect.Effect<ReadonlyArray<Reason>>
    /** The database does not respond. Where others share it, only writing needs it. */
    readonly away: Effect.Effect<Away | undefined>
  }
>()("core/process/Availability") {
  static readonly layer = Layer.effect(
    Availability,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const probeRequests = yield* Queue.sliding<void>(1)
      let outage: Outage | undefined
      /** Requests that failed, and the probe has not yet said whether the database responds. */
      let missed: { readonly requests: number; readonly error: unknown } | undefined
      let unlikelyAt = Number.NEGATIVE_INFINITY
      const writes = followWrites(() => outage !== undefined)
      let followedAt: number | undefined
      /** When the last probe began that was answered. */
      let answeredAt = 0

      const begin = Effect.fnUntraced(function* (error: unknown) {
        outage = { since: yield* Clock.currentTimeMillis, requests: missed?.requests ?? 0 }
        missed = undefined
        yield* Effect.logError("the database does not respond; requests that need it get 503", {
          cause: lineOf(error)
        })
      })

      /** The database responds, and yet requests could not be answered: a statement that took too long, a connection that broke. */
      const noteUnlikely = Effect.fnUntraced(function* (requests: number, error: unknown) {
        missed = undefined
        const now = yield* Clock.currentTimeMillis
        if (now - unlikelyAt < unlikelyEvery) return
        unlikelyAt = now
        yield* Effect.logWarning("the database responds, but could not answer a request, which got 503", {
          requests,
          cause: lineOf(error)
        })
      })

      const end = Effect.fnUntraced(function* ({ requests, since }: Outage) {
        outage = undefined
        const seconds = Math.round(((yield* Clock.currentTimeMillis) - since) / 1000)
        yield* Effect.logInfo("the database responds again", { failed_requests: requests, seconds })
      })

      // The database is outside this process, so the timeout uses real time whatever clock the service runs by.
      const answer = Effect.flatMap(pulse, (client) => client`select 1`).pipe(
        Effect.timeout(probeTimeout),
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()),
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      const look = Effect.gen(function* () {
        const begun = yield* Clock.currentTimeMillis
        const exit = yield* Effect.exit(answer)
        if (Exit.isSuccess(exit)) {
          answeredAt = begun
          if (outage !== undefined) return yield* end(outage)
          return missed === undefined ? undefined : yield* noteUnlikely(missed.requests, missed.error)
        }
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        if (outage === undefined) return yield* begin(Cause.squash(exit.cause))
      })
      yield* inBackground(
        "database probe",
        { afterFailure: every },
        Effect.andThen(look, Effect.raceFirst(Queue.take(probeRequests), Effect.sleep(every)))
      )

      return Availability.of({
        missed: Effect.fnUntraced(function* (error) {
          const refusal = writeRefusal(error)
          if (refusal !== undefined) return yield* writes.refused(refusal)
          if (outage === undefined) missed = { requests: (missed?.requests ?? 0) + 1, error }
          else outage = { ...outage, requests: outage.requests + 1 }
          Queue.offerUnsafe(probeRequests, undefined)
        }),
        beat: writes.attempt,
        written: writes.state,
        followed: (at) =>
          Effect.sync(() => {
            followedAt = Math.max(at, followedAt ?? at)
          }),
        reasons: Effect.map(Clock.currentTimeMillis, (now) => {
          const away = awayOf(outage)
          if (away !== undefined) return followedAt === undefined ? [away] : []
          if (followedAt === undefined || now - followedAt <= longestBehind) return []
          // Or else the database may just have gone, for all: the next probe tells.
          return answeredAt > followedAt ? [behind(followedAt)] : []
        }),
        away: Effect.sync(() => awayOf(outage))
      })
    })
  )
}

/** What `/readyz` says of a database that does not respond: a reason or a warning. */
export interface Away {
  readonly code: "database_away"
  readonly message: string
}

const awayOf = (outage: Outage | undefined): Away | undefined =>
  outage === undefined
    ? undefined
    : { code: "database_away", message: `The database has not responded since ${isoTime(outage.since)}.` }

const behind = (since: number): Reason => ({
  code: "follower_behind",
  message: `This process has not applied what others wrote since ${isoTime(since)}.`
})
