/**
 * The lock that a running service holds on its Postgres: exclusive, unless it says by `CLUSTER_ADDRESS` that it shares the
 * work with others. It lives in a session of its own and ends with that session, so a process that is killed leaves none.
 */
import { hostname } from "node:os"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import {
  Clock,
  Context,
  Deferred,
  Duration,
  Effect,
  Latch,
  Layer,
  type Redacted,
  Schedule,
  Schema
} from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isoTime } from "../../core/plugin/Value.ts"
import { inBackground, loop } from "../../core/process/loop.ts"
import { advisoryLock } from "../../core/sql/advisoryLock.ts"
import * as Postgres from "../database/Postgres.ts"

const serving = advisoryLock("serving")

/** How often the session is used. The server ends a session that was silent for `expiry`: its process is frozen or cut off. */
const beat = "2 seconds"
const expiry = Duration.seconds(15)
/** How often to try while another process has the lock. */
const retry = "500 millis"

/** Another service uses this database. */
export class DatabaseInUse extends Schema.TaggedError<DatabaseInUse>()("DatabaseInUse", {
  message: Schema.String
}) {}

export interface Options {
  readonly url: Redacted.Redacted
  /** True if other processes may hold it too. */
  readonly shared: boolean
  /** Where this process listens, `host:port`: what others say of it while they wait. */
  readonly address: string
  /** How long to wait for another process to release it. Default: 30 seconds. */
  readonly patience?: Duration.Input
}

export class ServiceLock extends Context.Service<
  ServiceLock,
  {
    /** Runs `work` whenever the lock is held, and interrupts it when the lock is lost. */
    readonly whileHeld: <R>(work: Effect.Effect<never, never, R>) => Effect.Effect<never, never, R>
    /** Since when the lock is lost, epoch milliseconds; undefined while it is held. */
    readonly lostSince: () => number | undefined
    /** Fails if the lock was lost and another process has taken it. */
    readonly refused: Effect.Effect<never, DatabaseInUse>
  }
>()("runtime/cluster/ServiceLock") {
  static readonly layer = (options: Options) => Layer.effect(ServiceLock, make(options))
}

const make = Effect.fnUntraced(function* (options: Options) {
  const begun = yield* Deferred.make<void, DatabaseInUse | SqlError>()
  const refused = yield* Deferred.make<never, DatabaseInUse>()
  const locked = Latch.makeUnsafe(false)
  const lost = Latch.makeUnsafe(true)
  let lostSince: number | undefined

  /** Takes the lock in a new session and keeps it until the session ends. */
  const lockSession = Effect.gen(function* () {
    const connection = Postgres.connection(options.url, Postgres.brisk)
    const session = yield* PgConnection.make({
      ...connection,
      applicationName: nameOf(options.address),
      startupParameters: {
        ...connection.startupParameters,
        idle_session_timeout: String(Duration.toMillis(expiry))
      }
    })
    yield* acquire(session, options)
    if (lostSince !== undefined) yield* Effect.logInfo("this process holds the database's lock again")
    lostSince = undefined
    lost.closeUnsafe()
    locked.openUnsafe()
    yield* Deferred.succeed(begun, undefined)
    return yield* session.query("select 1").pipe(
      // The first failure says that the session is gone, and the lock with it.
      Effect.repeat({ schedule: Schedule.spaced(beat), while: () => true })
    )
  }).pipe(Effect.scoped)

  const lose = Effect.fnUntraced(function* (error: SqlError) {
    if (yield* Deferred.fail(begun, error)) return
    if (lostSince !== undefined) return
    lostSince = yield* Clock.currentTimeMillis
    locked.closeUnsafe()
    lost.openUnsafe()
    yield* Effect.logError(
      "this process lost its lock on the database; it collects nothing until it has it again",
      {
        cause: error.message
      }
    )
  })

  yield* inBackground(
    "holding the database's lock",
    "1 second",
    lockSession.pipe(
      Effect.catchTag("DatabaseInUse", (error) =>
        Effect.andThen(Deferred.fail(begun, error), Deferred.fail(refused, error))
      ),
      Effect.catch(lose)
    )
  )
  yield* Deferred.await(begun)

  return ServiceLock.of({
    whileHeld: (work) =>
      loop(
        "work under the database's lock",
        { afterFailure: "1 second" },
        Effect.andThen(locked.await, Effect.raceFirst(work, lost.await))
      ),
    lostSince: () => lostSince,
    refused: Deferred.await(refused)
  })
})

/** As `pg_stat_activity` shows the session; Postgres keeps 63 characters. */
const nameOf = (address: string): string => {
  const [before, after] = [`plumbline ${process.pid} on `, ` at ${address}`]
  return before + hostname().slice(0, Math.max(1, 63 - before.length - after.length)) + after
}

/** Waits until no other process is in the way, and says once who is. */
const acquire = Effect.fnUntraced(function* (session: PgConnection.PgConnection, options: Options) {
  const { patience = "30 seconds", shared } = options
  const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
  let warned = false
  const attempt = Effect.gen(function* () {
    const lock = shared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock"
    const [[acquired] = []] = yield* session.queryValues(
      `select ${lock}(${serving.space}, ${serving.number})`
    )
    if (acquired === true) return true
    const holder = yield* holderOf(session)
    if ((yield* Clock.currentTimeMillis) >= end)
      return yield* new DatabaseInUse({ message: refusal(holder, shared) })
    if (!warned) {
      yield* Effect.logWarning(
        `waiting up to ${Duration.format(Duration.fromInputUnsafe(patience))} for ${holder}, which uses this database`
      )
    }
    warned = true
    return false
  })
  yield* Effect.repeat(attempt, { schedule: Schedule.spaced(retry), until: (acquired) => acquired })
})

/** Who has the lock, in words. */
const holderOf = Effect.fnUntraced(function* (session: PgConnection.PgConnection) {
  const [[name, from, since] = []] = yield* session.queryValues(
    `select a.application_name, host(a.client_addr), a.backend_start
     from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.classid = ${serving.space} and l.objid = ${serving.number} and l.objsubid = 2
       and l.database = (select oid from pg_database where datname = current_database()) and l.granted
     order by a.backend_start limit 1`
  )
  if (typeof name !== "string") return "another process"
  const origin = typeof from === "string" ? ` (connected from ${from})` : ""
  return `"${name}"${origin}${since instanceof Date ? `, running since ${isoTime(since.getTime())}` : ""}`
})

const refusal = (holder: string, shared: boolean): string =>
  shared
    ? `DATABASE_URL: ${holder}, uses this database alone; stop it, or start it again with CLUSTER_ADDRESS`
    : `DATABASE_URL: ${holder}, uses this database; stop it, or set CLUSTER_ADDRESS for every process to run several (runtime/README.md)`
