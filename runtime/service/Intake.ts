/**
 * The way of runs from whoever makes them to `Ingest`. The collector starts before there is an `Ingest`, which wants to
 * know the collector's manifests first: runs wait here until it is connected.
 */
import { Context, Deferred, Effect, Layer, Schedule } from "effect"
import type { Ingest } from "../../core/data/ingest/Ingest.ts"
import type { Delivery } from "../../core/data/ingest/Run.ts"

export class Intake extends Context.Service<
  Intake,
  {
    /** Keeps a run; done when it is kept. A database that is away is tried again: the thread waits meanwhile. */
    readonly deliver: (delivery: Delivery) => Effect.Effect<void>
    readonly connect: (ingest: Ingest["Service"]) => Effect.Effect<void>
  }
>()("runtime/Intake") {
  static readonly layer = Layer.effect(
    Intake,
    Effect.gen(function* () {
      const connected = yield* Deferred.make<Ingest["Service"]>()
      return Intake.of({
        deliver: Effect.fn("Intake.deliver")(function* (delivery: Delivery) {
          const ingest = yield* Deferred.await(connected)
          const written = yield* ingest.write(delivery).pipe(
            Effect.tapError((error) =>
              Effect.logError("a run could not be kept, trying again", {
                run: delivery.run.id,
                cause: error.message
              })
            ),
            Effect.retry({ times: 20, schedule: Schedule.spaced("3 seconds") }),
            Effect.orDie
          )
          yield* Effect.logDebug("kept a run", { plugin: delivery.run.plugin, ...written })
        }),
        connect: (ingest) => Effect.asVoid(Deferred.succeed(connected, ingest))
      })
    })
  )
}
