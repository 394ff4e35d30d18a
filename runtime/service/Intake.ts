/**
 * The way of runs from whoever makes them to `Ingest`. The collector starts before there is an `Ingest`, which wants to
 * know the collector's manifests first: runs wait here until it is connected.
 */
import { Context, Deferred, Effect, Layer, Schedule } from "effect"
import type { Ingest } from "../../core/data/ingest/Ingest.ts"
import type { Delivery } from "../../core/data/ingest/Run.ts"

type Refusal = Effect.Error<ReturnType<Ingest["Service"]["write"]>>

/** Attempts at a run that the database refuses for what it holds: no other run can be kept before it is given up. */
const mostRefusals = 20

/** SQLSTATE, class 22: a value that the database cannot take. */
const isDataException = (cause: unknown): boolean => {
  const code: unknown = Object(cause)["code"]
  return typeof code === "string" && code.startsWith("22")
}

/** True where the run itself is at fault; a disk or a database that is at fault comes back, and the run waits. */
const isOfTheRun = (error: Refusal): boolean => {
  if (error._tag !== "SqlError") return false
  const { reason } = error
  return (
    reason._tag === "SqlSyntaxError" ||
    reason._tag === "UniqueViolation" ||
    reason._tag === "ConstraintError" ||
    isDataException(reason.cause)
  )
}

export class Intake extends Context.Service<
  Intake,
  {
    /**
     * Keeps a run; done when it is kept. While the disk is full or the database away it waits, however long: the thread
     * hands over no more meanwhile. A run that the database refuses for what it holds ends in a defect.
     */
    readonly deliver: (delivery: Delivery) => Effect.Effect<void>
    readonly connect: (ingest: Ingest["Service"]) => Effect.Effect<void>
  }
>()("runtime/Intake") {
  static readonly layer = Layer.effect(
    Intake,
    Effect.gen(function* () {
      const connected = yield* Deferred.make<Ingest["Service"]>()
      let waiting = false
      return Intake.of({
        deliver: Effect.fn("Intake.deliver")(function* (delivery: Delivery) {
          const ingest = yield* Deferred.await(connected)
          let refusals = 0
          const written = yield* ingest.write(delivery).pipe(
            Effect.tapError((error) => {
              if (isOfTheRun(error)) refusals++
              if (waiting) return Effect.void
              waiting = true
              return Effect.logError("runs cannot be kept; they wait until they can", {
                run: delivery.run.id,
                cause: error.message
              })
            }),
            Effect.retry({
              schedule: Schedule.spaced("3 seconds"),
              while: (error) => !isOfTheRun(error) || refusals < mostRefusals
            }),
            Effect.orDie
          )
          if (waiting) {
            waiting = false
            yield* Effect.logInfo("runs are kept again")
          }
          yield* Effect.logDebug("kept a run", { plugin: delivery.run.plugin, ...written })
        }),
        connect: (ingest) => Effect.asVoid(Deferred.succeed(connected, ingest))
      })
    })
  )
}
