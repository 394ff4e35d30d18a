/**
 * Passes runs from the collector to `Ingest`. The collector starts first, because `Ingest` needs its manifests; runs
 * wait here until `Ingest` is connected.
 */
import { Clock, Context, Deferred, Effect, Layer, Schedule } from "effect"
import type { Ingest } from "../../core/data/ingest/Ingest.ts"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { countRun } from "../metrics/runs.ts"

type Refusal = Effect.Error<ReturnType<Ingest["Service"]["write"]>>

/** Attempts at a run that the database rejects for its content. Later runs wait until it is stored or given up. */
const mostRefusals = 20

/** SQLSTATE class 22: a value that the database cannot store. */
const isDataException = (cause: unknown): boolean => {
  const code: unknown = Object(cause)["code"]
  return typeof code === "string" && code.startsWith("22")
}

/** True if the run itself is at fault. A faulty disk or database recovers, and the run waits for it. */
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
     * Stores a run and returns once it is stored. It waits as long as the disk is full or the database is down; the
     * thread hands over no more runs meanwhile. A run of a feed that belongs to another process by now is logged and
     * dropped. A run that the database rejects for its content ends in a defect.
     */
    readonly deliver: (delivery: Delivery) => Effect.Effect<void>
    /** Shows a run that is stored later (`Ingest.preview`). */
    readonly preview: (delivery: Delivery) => Effect.Effect<void>
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
          const began = yield* Clock.currentTimeMillis
          let refusals = 0
          const written = yield* ingest.write(delivery).pipe(
            Effect.catchTag("RunFenced", ({ message }) =>
              Effect.asVoid(Effect.logWarning("dropped a run", { cause: message }))
            ),
            Effect.tapError((error) => {
              if (isOfTheRun(error)) refusals++
              if (waiting) return Effect.void
              waiting = true
              return Effect.logError("cannot store runs; they wait until the database accepts them", {
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
          yield* countRun(delivery.run, written ?? undefined, (yield* Clock.currentTimeMillis) - began)
          if (waiting) {
            waiting = false
            yield* Effect.logInfo("runs are being stored again")
          }
          yield* Effect.logDebug("stored a run", { plugin: delivery.run.plugin, ...written })
        }),
        preview: (delivery) =>
          Effect.flatMap(Deferred.await(connected), (ingest) => Effect.orDie(ingest.preview(delivery))),
        connect: (ingest) => Effect.asVoid(Deferred.succeed(connected, ingest))
      })
    })
  )
}
