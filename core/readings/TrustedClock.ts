/**
 * Whether this machine's clock may be trusted with what cannot be undone: to delete, to close a day, to end a key, to give
 * up. A clock that is wrong for seconds must not do any of it, so it is compared with every other clock there is:
 *
 * - Postgres's clock and the upstreams' (the median of three hosts) each stop it if they differ by more than five minutes.
 * - The time that was confirmed last is in the database. Trusted time goes on from there: while a process runs, as fast as
 *   the monotonic clock; from one process to the next, by a day at most. Before any time was confirmed, the newest signed
 *   head and the newest row stand for it. Later they do not, because a wrong clock writes wrong rows.
 * - Beyond that, only a clock outside of this machine confirms the time: the upstreams', or an operator (`clock confirm`).
 *   Postgres's does not, because it often runs on the same machine.
 *
 * Nothing here stops collecting, reading or serving; but while there is a doubt, what is served is not dated later than trusted time
 * (`stamp`), since an answer with a signature of next year passes every check of its age until then.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { clockThrough, monotonic as monotonicOf } from "../clock/clockOf.ts"
import { DatabaseClock } from "../clock/DatabaseClock.ts"
import * as DataClock from "../clock/DataClock.ts"
import { databaseTime } from "../clock/databaseTime.ts"
import { day, minute } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { program } from "../process/program.ts"
import { raiseFacts, storedFact, storeFact } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"
import { monotonic, UpstreamClock } from "./UpstreamClock.ts"

/** Clocks that differ by less agree, in milliseconds. */
const tolerance = 5 * minute

/** How long a service may have been off before another clock must confirm the time, in milliseconds. */
const longestOff = day

/** A look at the other clocks is good for this long, in milliseconds; the monotonic clock is looked at each time. */
const goodFor = minute

const factOfConfirmed = "clock_confirmed"

const traceRows = rowsOf({ head: Schema.NullOr(Schema.Date), row: Schema.NullOr(Schema.Date) })

/** The clocks there are besides this machine's. The room that composes the service says so. */
export const Witnesses = Context.Reference<{
  /** True if the database has a clock of its own: a server. */
  readonly database: boolean
  /** False where the answers of upstreams are recorded ones. */
  readonly upstreams: boolean
  /** How long a process that starts waits to hear the upstreams' time, if it was off for more than a moment; ms. */
  readonly gracePeriod: number
}>("core/readings/TrustedClock/Witnesses", {
  defaultValue: () => ({ database: false, upstreams: true, gracePeriod: 0 })
})

/** A wall clock time that was trusted, at a moment of the monotonic clock. Milliseconds. */
interface Anchor {
  readonly wall: number
  readonly moment: number
}

/** What a look at the clocks gives: `doubt` says why the clock is not trusted, and what to do. */
interface Verdict {
  readonly trusted: boolean
  readonly doubt?: string
  /** True if a clock outside of this machine agrees. */
  readonly borneOut?: boolean
  /** With a doubt about a clock that is ahead: the time by what is trusted, at this moment. Epoch milliseconds. */
  readonly latest?: number
}

export class TrustedClock extends Context.Service<
  TrustedClock,
  {
    /** True if what cannot be undone may be done now. Logs when a doubt begins, and when it ends. */
    readonly trusted: Effect.Effect<boolean, SqlError>
    /** Why it may not, as of the last look, and what to do; undefined if it may. From memory. */
    readonly doubt: Effect.Effect<string | undefined>
    /** What may be stamped on an answer when the system clock says `wall`: the same, or trusted time where that is earlier. */
    readonly stamp: (wall: number) => number
    /** An operator says that the clock is right; returns the doubt that remains, if another clock contradicts. */
    readonly confirm: Effect.Effect<string | undefined, SqlError>
  }
>()("core/readings/TrustedClock") {
  static readonly layer = Layer.effect(
    TrustedClock,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const upstreamClock = yield* UpstreamClock
      const witnesses = yield* Witnesses
      const began = yield* monotonic
      const turn = yield* Semaphore.make(1)
      let anchor: Anchor | undefined
      let lookedAt = Number.NEGATIVE_INFINITY
      let doubt: string | undefined
      /** In a doubt about a clock that is ahead, where trusted time stood. */
      let latest: Anchor | undefined
      const own = yield* Clock.Clock

      const upstreams = Effect.map(upstreamClock.difference, (difference) =>
        witnesses.upstreams ? Option.getOrUndefined(difference) : undefined
      )

      /** Why another clock says that this one is wrong; undefined if none does. */
      const contradiction = Effect.gen(function* () {
        const upstreamMedian = yield* upstreams
        if (upstreamMedian !== undefined && Math.abs(upstreamMedian.ahead) > tolerance) {
          const doubt = `the system clock is ${apart(upstreamMedian.ahead)} the upstreams' (median of ${upstreamMedian.hosts} hosts); set the clock`
          return { doubt, ahead: upstreamMedian.ahead }
        }
        const ahead = yield* aheadOfDatabase(witnesses.database)
        return ahead === undefined || Math.abs(ahead) <= tolerance
          ? undefined
          : { doubt: `the system clock is ${apart(ahead)} Postgres's; set the one that is wrong`, ahead: 0 }
      })

      const judge: Effect.Effect<Verdict, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
        const contradicted = yield* contradiction
        if (contradicted !== undefined) {
          const { ahead, doubt } = contradicted
          return { trusted: false, doubt, latest: (yield* Clock.currentTimeMillis) - Math.max(0, ahead) }
        }
        if ((yield* upstreams) !== undefined) return { trusted: true, borneOut: true }
        const last = (yield* confirmed) ?? (yield* newestTrace)
        const wall = yield* Clock.currentTimeMillis
        if (last === undefined) return { trusted: true }
        const since = wall - last
        if (since < -tolerance) {
          return {
            trusted: false,
            doubt: `the system clock is ${apart(since)} ${isoTime(last)}, the latest time that was confirmed; ${remedy}`
          }
        }
        // Confirmed just now: by this process, by another one, or by an operator.
        if (since <= tolerance) return { trusted: true }
        const moment = yield* monotonic
        if (anchor !== undefined) {
          const jumped = wall - (anchor.wall + moment - anchor.moment)
          return Math.abs(jumped) <= tolerance
            ? { trusted: true }
            : {
                trusted: false,
                doubt: `the system clock was set by ${spell(jumped)} while the service ran; ${remedy}`,
                latest: wall - Math.max(0, jumped)
              }
        }
        if (since > longestOff) {
          return {
            trusted: false,
            doubt: `the system clock is ${apart(since)} ${isoTime(last)}, when this service was last known to run, and no clock outside of this machine confirms it yet; ${remedy}`,
            latest: last + moment - began
          }
        }
        return { trusted: moment - began >= witnesses.gracePeriod }
      })

      const look = Effect.gen(function* () {
        const verdict = yield* judge
        const wall = yield* Clock.currentTimeMillis
        if (verdict.doubt !== doubt && verdict.doubt !== undefined) {
          // Once for each doubt: a difference that grows is no news.
          if (doubt === undefined) yield* Effect.logError(`nothing irreversible is done: ${verdict.doubt}`)
        }
        if (doubt !== undefined && verdict.doubt === undefined) {
          yield* Effect.logInfo("the system clock is trusted again")
        }
        doubt = verdict.doubt
        // Once there is a doubt, trusted time goes on by the monotonic clock.
        const at = monotonicOf(own)
        latest =
          verdict.latest === undefined
            ? undefined
            : latest !== undefined && latest.wall + at - latest.moment <= verdict.latest
              ? latest
              : { wall: verdict.latest, moment: at }
        if (!verdict.trusted) {
          lookedAt = Number.NEGATIVE_INFINITY
          return false
        }
        yield* remember(wall, verdict.borneOut ?? false)
        const moment = yield* monotonic
        anchor = { wall, moment }
        lookedAt = moment
        return true
      })

      /** True if nothing has happened to the clock since the last look, which was a moment ago. */
      const unchanged = Effect.gen(function* () {
        const moment = yield* monotonic
        if (anchor === undefined || moment - lookedAt >= goodFor) return false
        const upstreamMedian = yield* upstreams
        if (upstreamMedian !== undefined && Math.abs(upstreamMedian.ahead) > tolerance) return false
        const wall = yield* Clock.currentTimeMillis
        return Math.abs(wall - (anchor.wall + moment - anchor.moment)) <= tolerance
      })

      const trusted = Effect.gen(function* () {
        return (yield* unchanged) || (yield* look)
      }).pipe(
        turn.withPermit,
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.withSpan("TrustedClock.trusted")
      )

      const confirm = Effect.gen(function* () {
        const contradicted = yield* contradiction
        if (contradicted !== undefined) return contradicted.doubt
        yield* remember(yield* Clock.currentTimeMillis, true)
        yield* look
        return doubt
      }).pipe(turn.withPermit, Effect.provideService(SqlClient.SqlClient, sql))

      const stamp = (wall: number): number => {
        const base = latest ?? anchor
        if (base === undefined) return wall
        const passed = base.wall + monotonicOf(own) - base.moment
        // Without a doubt yet, a clock that was just set ahead is met by the next look, up to a minute later.
        return latest === undefined && wall - passed <= tolerance ? wall : Math.min(wall, passed)
      }

      // A process that starts beside others, or goes on, has its first anchor before anything else happens. A database
      // that does not answer is looked at again later.
      yield* Effect.ignore(trusted)
      return TrustedClock.of({ trusted, doubt: Effect.sync(() => doubt), stamp, confirm })
    })
  )
}

/** The clock of what answers: it dates nothing later than what is trusted. */
export const stampingClock: Effect.Effect<Clock.Clock, never, TrustedClock> = Effect.gen(function* () {
  const { stamp } = yield* TrustedClock
  return clockThrough(stamp, yield* Clock.Clock)
})

/** Does what cannot be undone, if the clock may be trusted; none if it may not, and nothing was done. */
export const ifTrusted = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const clock = yield* TrustedClock
    return (yield* clock.trusted) ? Option.some(yield* work) : Option.none()
  })

/** An operator asked for something that cannot be undone, by a clock that is not trusted. The message says what to do. */
export class ClockInDoubt extends Schema.TaggedError<ClockInDoubt>()("ClockInDoubt", {
  message: Schema.String
}) {}

/** Fails if the clock is not trusted, for commands: what they publish with a time cannot be taken back. */
export const requireTrusted = Effect.gen(function* () {
  const clock = yield* TrustedClock
  if (yield* clock.trusted) return
  const why = (yield* clock.doubt) ?? "no other clock has confirmed the time yet; try again in ten minutes"
  return yield* new ClockInDoubt({ message: `nothing irreversible is done now: ${why}` })
})

/**
 * How far this machine's clock is ahead of the database's, milliseconds; undefined where the database has none of its own. In a
 * service on Postgres the time is Postgres's, so only the comparison of its two clocks shows the machine's.
 */
const aheadOfDatabase = Effect.fnUntraced(function* (hasClock: boolean) {
  const difference = yield* (yield* DatabaseClock).difference
  if (difference !== undefined) return difference.ahead
  return hasClock ? (yield* Clock.currentTimeMillis) - (yield* databaseTime) : undefined
})

const remedy = `set the clock, or, if it is right, run: ${program} clock confirm`

const spell = (ms: number): string => Duration.format(Duration.seconds(Math.round(Math.abs(ms) / 1000)))

const apart = (ahead: number): string => `${spell(ahead)} ${ahead > 0 ? "ahead of" : "behind"}`

/** The time that was confirmed last, epoch milliseconds. */
const confirmed = Effect.gen(function* () {
  const stored = yield* storedFact(factOfConfirmed)
  return stored === undefined ? undefined : Number(stored)
})

/** Stores a confirmed time. One that a clock outside confirms may be earlier than what was stored: that was wrong. */
const remember = (wall: number, borneOut: boolean) =>
  borneOut ? storeFact(factOfConfirmed, String(wall)) : raiseFacts({ [factOfConfirmed]: wall })

/** The newest head or row, whichever is later, by the wall clock; undefined where there is none. Epoch milliseconds. */
const newestTrace = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const offset = yield* DataClock.offset
  const [trace] = yield* sql`
    select (select max(signed_at) from checkpoint) as head, (select max(confirmed_at) from latest) as row`.pipe(
    traceRows
  )
  const times = [trace?.head?.getTime(), trace?.row && trace.row.getTime() - offset].filter(
    (time) => typeof time === "number"
  )
  return times.length === 0 ? undefined : Math.max(...times)
})
