/** The work that is done once, however many processes share a database. Who does it is decided behind this port. */
import { Clock, Context, Duration, Effect, Latch, Layer, type Scope } from "effect"
import { isoTime } from "../../core/plugin/Value.ts"
import { loop, type Waits } from "../../core/process/loop.ts"
import type { Warning } from "../../core/wire/log/readiness.ts"
import type { Role } from "../settings/roles.ts"
import { type DatabaseInUse, ServiceLock } from "./ServiceLock.ts"

export interface Duty {
  readonly role: Role
  readonly name: string
}

export class Duties extends Context.Service<
  Duties,
  {
    /** Runs `work` whenever this process has the duty, and interrupts it when it has it no longer. */
    readonly take: <R>(
      duty: Duty,
      work: Effect.Effect<never, never, R>
    ) => Effect.Effect<void, never, R | Scope.Scope>
    /** Gives up every duty for good, once what is in progress has ended; other processes take them over. */
    readonly release: Effect.Effect<void>
    /** Fails if this process can have no duty any more and must end. */
    readonly refused: Effect.Effect<never, DatabaseInUse>
    /** Which duties are not done, and why. */
    readonly warnings: Effect.Effect<ReadonlyArray<Warning>>
  }
>()("runtime/cluster/Duties") {
  /** One process on the embedded engine has every duty. */
  static readonly layerAlone = Layer.effect(
    Duties,
    Effect.gen(function* () {
      const { release, released } = yield* releasable
      return Duties.of({
        take: (_, work) => Effect.asVoid(Effect.forkScoped(released(work))),
        release,
        refused: Effect.never,
        warnings: Effect.succeed([])
      })
    })
  )

  /** One process on a Postgres has every duty while it holds the lock. */
  static readonly layerLocked = Layer.effect(
    Duties,
    Effect.gen(function* () {
      const lock = yield* ServiceLock
      const { release, released } = yield* releasable
      return Duties.of({
        take: (_, work) => Effect.asVoid(Effect.forkScoped(released(lock.whileHeld(work)))),
        release,
        refused: lock.refused,
        warnings: lockWarnings(lock)
      })
    })
  )
}

/** `inBackground` for work that is done once, however many processes there are. */
export const onDuty = <A, E, R>(name: string, waits: Duration.Input | Waits, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Duties, ({ take }) => take({ role: "jobs", name }, loop(name, waits, work)))

/** How long work may take to end when it is given up. */
const patience = Duration.seconds(15)

/** Work that ends, with its finalizers, when it is released. */
export const releasable = Effect.gen(function* () {
  const stop = yield* Latch.make(false)
  const idle = yield* Latch.make(true)
  let working = 0
  return {
    released: <R>(work: Effect.Effect<never, never, R>): Effect.Effect<void, never, R> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          working++
          idle.closeUnsafe()
        }),
        () => Effect.raceFirst(work, stop.await),
        () =>
          Effect.sync(() => {
            working--
            if (working === 0) idle.openUnsafe()
          })
      ),
    release: Effect.gen(function* () {
      stop.openUnsafe()
      const begun = yield* Clock.currentTimeMillis
      yield* Effect.timeoutOption(idle.await, patience)
      const millis = (yield* Clock.currentTimeMillis) - begun
      if (working > 0)
        yield* Effect.logWarning("scheduled work did not end in time", { left: working, millis })
    })
  }
})

/** What `/readyz` says of a process that lost its lock. */
export const lockWarnings = ({ lostSince }: ServiceLock["Service"]) =>
  Effect.sync((): ReadonlyArray<Warning> => {
    const since = lostSince()
    return since === undefined
      ? []
      : [
          {
            code: "lock_lost",
            message: `This process has collected nothing since ${isoTime(since)}, when it lost its lock on the database.`
          }
        ]
  })
