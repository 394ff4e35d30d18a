/** The work that is done once, however many processes share a database. Who does it is decided behind this port. */
import { Context, type Duration, Effect, Layer, type Scope } from "effect"
import { loop, type Waits } from "../../core/data/loop.ts"
import { type DatabaseInUse, ServiceLock } from "./ServiceLock.ts"

export class Duties extends Context.Service<
  Duties,
  {
    /** Runs `work` while this process has the duty of this name, and interrupts it when it has it no longer. */
    readonly take: <R>(
      name: string,
      work: Effect.Effect<never, never, R>
    ) => Effect.Effect<void, never, R | Scope.Scope>
    /** Fails if this process may do nothing any more and must end. */
    readonly refused: Effect.Effect<never, DatabaseInUse>
  }
>()("runtime/cluster/Duties") {
  /** One process on the embedded engine has every duty. */
  static readonly layerAlone = Layer.succeed(
    Duties,
    Duties.of({ take: (_, work) => Effect.asVoid(Effect.forkScoped(work)), refused: Effect.never })
  )

  /** One process on a Postgres has every duty while it holds the lock. */
  static readonly layerLocked = Layer.effect(
    Duties,
    Effect.map(ServiceLock, ({ refused, whileHeld }) =>
      Duties.of({ take: (_, work) => Effect.asVoid(Effect.forkScoped(whileHeld(work))), refused })
    )
  )
}

/** `inBackground` for work that is done once, however many processes there are. */
export const onDuty = <A, E, R>(name: string, waits: Duration.Input | Waits, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Duties, ({ take }) => take(name, loop(name, waits, work)))
