/** Measures how long the event loop worked for an answer: the time of its steps, and not that of waiting. */
import { Effect, Tracer } from "effect"
import { type Time, Worked } from "../../core/process/threads/Worked.ts"

const evaluate = "~effect/Effect/evaluate"

/** Whose step is running, and since when; a step of another answer may run within it. */
let running: Time | undefined
let since = 0

/** Lets the time from now on count for another; gives whose it was. */
const enter = (next: Time | undefined): Time | undefined => {
  if (next === running) return running
  const now = performance.now()
  if (running !== undefined) running.millis += now - since
  const outer = running
  running = next
  since = now
  return outer
}

/**
 * Adds what the event loop and threads work for an effect, its children included, to `time`. A tracer is the only place where Effect
 * exposes each step of a fiber.
 */
export const measured =
  (time: Time) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.tracer, (tracer) =>
      Effect.provideService(
        Effect.provideService(effect, Worked, time),
        Tracer.Tracer,
        Tracer.make({
          ...tracer,
          span: (options) => tracer.span(options),
          context: (primitive, fiber) => {
            const outer = enter(time)
            try {
              return tracer.context === undefined
                ? primitive[evaluate](fiber)
                : tracer.context(primitive, fiber)
            } finally {
              enter(outer)
            }
          }
        })
      )
    )
