/** Tells the main thread whose code the collector thread is in. */
import { Effect, Tracer } from "effect"
import { charge } from "./growth.ts"
import * as Heartbeat from "./Heartbeat.ts"

const evaluate = "~effect/Effect/evaluate"

/**
 * Names the plugin for as long as an effect of its fibers is being evaluated, and not while they wait: a tracer is the
 * one place where Effect shows each step of a fiber.
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
            // Steps can nest: a fiber may be started while another's step runs.
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
