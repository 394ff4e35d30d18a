/**
 * Whether this process can answer: its database does, and it has read what other processes wrote. An outage is logged
 * when it begins and when it ends, however many requests it meets.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Queue } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import type { Reason } from "../wire/log/readiness.ts"
import { inBackground } from "./loop.ts"

/** The database is asked this often, and at once when a request found none. */
const every = "5 seconds"
/** Longer than any query of ours may hold the one session of the embedded engine. */
const patience = "10 seconds"
/** A process that follows others reads them every 30 seconds. */
const longestBehind = 90_000

interface Outage {
  readonly since: number
  readonly why: string
  /** Requests that it has met. */
  readonly requests: number
  /** The database was asked and did not answer: more than one request's misfortune. */
  readonly confirmed: boolean
}

export class Availability extends Context.Service<
  Availability,
  {
    /** Tells of a request that found no database. */
    readonly missed: (error: unknown) => Effect.Effect<void>
    /** Tells that this process has read what others wrote. From the first time on it is behind when this stays out. */
    readonly followed: Effect.Effect<void>
    /** Why this process cannot answer; empty where it can. From memory: a probe costs no query. */
    readonly reasons: Effect.Effect<ReadonlyArray<Reason>>
  }
>()("core/data/Availability") {
  static readonly layer = Layer.effect(
    Availability,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asked = yield* Queue.sliding<void>(1)
      let outage: Outage | undefined
      let followedAt: number | undefined

      const begin = Effect.fnUntraced(function* (why: string, met: Pick<Outage, "confirmed" | "requests">) {
        outage = { since: yield* Clock.currentTimeMillis, why, ...met }
        yield* Effect.logError("the database does not answer; requests that need it get a 503", {
          cause: why
        })
      })

      const end = Effect.fnUntraced(function* ({ requests, since }: Outage) {
        outage = undefined
        const seconds = Math.round(((yield* Clock.currentTimeMillis) - since) / 1000)
        yield* Effect.logInfo("the database answers again", { failed_requests: requests, seconds })
      })

      // A connection that died without a word would keep the question for minutes. What is waited for is outside of this
      // process, so it is given real time, whatever clock the service runs by.
      const answer = sql`select 1`.pipe(
        Effect.timeout(patience),
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      )

      const look = Effect.gen(function* () {
        const exit = yield* Effect.exit(answer)
        if (Exit.isSuccess(exit)) return outage === undefined ? undefined : yield* end(outage)
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        if (outage === undefined)
          return yield* begin(whyOf(Cause.squash(exit.cause)), { confirmed: true, requests: 0 })
        outage = { ...outage, confirmed: true }
      })
      yield* inBackground(
        "looking at the database",
        { afterFailure: every },
        Effect.andThen(look, Effect.raceFirst(Queue.take(asked), Effect.sleep(every)))
      )

      return Availability.of({
        missed: Effect.fnUntraced(function* (error) {
          if (outage === undefined) yield* begin(whyOf(error), { confirmed: false, requests: 1 })
          else outage = { ...outage, requests: outage.requests + 1 }
          Queue.offerUnsafe(asked, undefined)
        }),
        followed: Effect.map(Clock.currentTimeMillis, (now) => {
          followedAt = now
        }),
        reasons: Effect.map(Clock.currentTimeMillis, (now) => [
          ...(outage?.confirmed === true
            ? [reason("database_away", `The database has not answered since ${isoTime(outage.since)}.`)]
            : []),
          ...(followedAt !== undefined && now - followedAt > longestBehind
            ? [
                reason(
                  "follower_behind",
                  `What other processes wrote was last read at ${isoTime(followedAt)}.`
                )
              ]
            : [])
        ])
      })
    })
  )
}

const reason = (code: Reason["code"], message: string): Reason => ({ code, message })

/** One line: what the driver met stands in the causes behind "Failed to connect". */
const whyOf = (error: unknown): string => {
  const words: Array<string> = []
  for (let at = error; at instanceof Error && words.length < 4; at = at.cause) {
    if (at.message !== "" && !words.includes(at.message)) words.push(at.message)
  }
  return words.join(": ").replace(/\s+/g, " ").slice(0, 500) || "unknown"
}
