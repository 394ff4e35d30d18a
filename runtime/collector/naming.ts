/** Tells the main thread which plugin's code the collector thread is running. */
import { Effect, Tracer } from "effect"
import { charge } from "./growth.ts"
import * as Heartbeat from "./Heartbeat.ts"

const evaluate = "~effect/Effect/evaluate"

/**
 * Names the plugin while an effect of its fibers is being evaluated, but not while they wait. A tracer is the only place
 * where Effect exposes each step of a fiber.
 */
export const naming =
  (heartbeat: Heartbeat.Heartbeat, plugin: number) =>
  <A, E, R>(collect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.tracer, (tracer) =>
      Effect.provideService(
        collect,
        Tracer.Tracer,
        Tracer.make({
          span: (options) => tracer.span(options),
          context: (primitive, fiber) => {
            // Steps can nest: one fiber may start another during a step.
            const outer = Heartbeat.entered(heartbeat)
            if (Heartbeat.lastOf(heartbeat) !== plugin) charge(heartbeat)
            Heartbeat.enter(heartbeat, plugin)
            try {
              return primitive[evaluate](fiber)
            } finally {
              Heartbeat.leave(heartbeat, outer)
            }
          }
        })
      )
    )
