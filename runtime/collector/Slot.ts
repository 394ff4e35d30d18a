/**
 * A few words of shared memory through which the main thread sees the collector thread even when that one does not
 * answer: its heartbeat, and which plugin's code it is in.
 */
import { Effect, Tracer } from "effect"

/** Places in the memory. Plugins are counted from 1 in the order of their names; 0 is none. */
const beat = 0
const inside = 1
const last = 2

export type Slot = Int32Array<SharedArrayBuffer>

export const make = (): Slot => new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))

export const beats = (slot: Slot): number => Atomics.load(slot, beat)

/** Tells that the thread is alive. */
export const tell = (slot: Slot): number => Atomics.add(slot, beat, 1)

/** Names the plugin whose code runs from here on, until the next call. */
export const enter = (slot: Slot, plugin: number): void => {
  Atomics.store(slot, last, plugin)
  Atomics.store(slot, inside, plugin)
}

export const leave = (slot: Slot): void => {
  Atomics.store(slot, inside, 0)
}

/** The plugin whose code the thread is in, else the one it was in last; 0 when there was none. */
export const blamed = (slot: Slot): number => Atomics.load(slot, inside) || Atomics.load(slot, last)

const evaluate = "~effect/Effect/evaluate"

/**
 * Names the plugin for as long as an effect of its fibers is being evaluated, and not while they wait: a tracer is the
 * one place where Effect shows each step of a fiber.
 */
export const naming =
  (slot: Slot, plugin: number) =>
  <A, E, R>(collect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.tracer, (tracer) =>
      Effect.provideService(
        collect,
        Tracer.Tracer,
        Tracer.make({
          span: (options) => tracer.span(options),
          context: (primitive, fiber) => {
            // Steps can nest: a fiber may be started while another's step runs.
            const outer = Atomics.load(slot, inside)
            enter(slot, plugin)
            try {
              return primitive[evaluate](fiber)
            } finally {
              Atomics.store(slot, inside, outer)
            }
          }
        })
      )
    )
