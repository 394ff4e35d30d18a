/**
 * Passes runs from the collector to `Ingest`. The collector starts first, because `Ingest` needs its manifests; runs
 * wait here until `Ingest` is connected.
 */
import { Clock, Context, Deferred, Effect, Exit, Layer, Schedule } from "effect"
import type { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { countRuns } from "../metrics/runs.ts"

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
     * Stores runs and returns once they are stored. It waits as long as the disk is full or the database is down; the
     * thread hands over no more runs meanwhile. A run of a feed that belongs to another process by now is logged and
     * dropped. A run that the database rejects for its content ends in a defect; those it came with are stored.
     */
    readonly deliver: (...deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void>
    /** Shows runs that are stored later (`Ingest.preview`). */
    readonly preview: (...deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void>
    readonly connect: (ingest: Ingest["Service"]) => Effect.Effect<void>
  }
>()("runtime/Intake") {
  static readonly layer = Layer.effect(
    Intake,
    Effect.gen(function* () {
      const connected = yield* Deferred.make<Ingest["Service"]>()
      let waiting = false
      /** Fails where some of several runs cannot be stored: which of them, is not known. */
      const store = Effect.fn("Intake.store")(function* (deliveries: ReadonlyArray<Delivery>) {
        const ingest = yield* Deferred.await(connected)
        const began = yield* Clock.currentTimeMillis
        const runs = deliveries.map(({ run }) => run)
        const isOneOfSeveral = (error: Refusal) =>
          deliveries.length > 1 && (error._tag === "RunFenced" || isOfTheRun(error))
        let refusals = 0
        const written = yield* ingest.write(...deliveries).pipe(
          Effect.catchTag("RunFenced", (fenced) =>
            isOneOfSeveral(fenced)
              ? Effect.fail(fenced)
              : Effect.asVoid(Effect.logWarning("dropped a run", { cause: fenced.message }))
          ),
          Effect.tapError((error) => {
            if (isOfTheRun(error)) refusals++
            if (waiting || isOneOfSeveral(error)) return Effect.void
            waiting = true
            return Effect.logError("cannot store runs; they wait until the database accepts them", {
              run: runs.map(({ id }) => id).join(" "),
              cause: error.message
            })
          }),
          Effect.retry({
            schedule: Schedule.spaced("3 seconds"),
            while: (error) => !isOneOfSeveral(error) && (!isOfTheRun(error) || refusals < mostRefusals)
          })
        )
        yield* countRuns(runs, written ?? undefined, (yield* Clock.currentTimeMillis) - began)
        if (waiting) {
          waiting = false
          yield* Effect.logInfo("runs are being stored again")
        }
        yield* Effect.logDebug("stored runs", {
          plugin: runs.map(({ plugin }) => plugin).join(" "),
          ...written
        })
      })

      const deliver = (...deliveries: ReadonlyArray<Delivery>): Effect.Effect<void> =>
        Effect.catch(store(deliveries), (error) =>
          deliveries.length > 1
            ? Effect.forEach(deliveries, (delivery) => Effect.exit(deliver(delivery))).pipe(
                Effect.flatMap(Exit.asVoidAll)
              )
            : Effect.die(error)
        )

      return Intake.of({
        deliver,
        preview: (...deliveries) =>
          Effect.flatMap(Deferred.await(connected), (ingest) => Effect.orDie(ingest.preview(...deliveries))),
        connect: (ingest) => Effect.asVoid(Deferred.succeed(connected, ingest))
      })
    })
  )
}
