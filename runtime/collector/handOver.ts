/** Hands finished runs to the main thread, with a limit on those not taken yet. */
import type { MessagePort } from "node:worker_threads"
import { Deferred, Effect, Semaphore } from "effect"
import { guarded } from "../../core/process/guarded.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import type { FromThread, ToThread } from "./protocol.ts"

/** What is moved with a run, not copied: `runOnce` put each body into its own memory. */
export const buffersOf = ({ bodies }: Delivery): ReadonlyArray<ArrayBuffer> =>
  [...bodies.values()].map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer)

/** Each delivery waits until it is taken. With `ahead` deliveries pending, further plugins wait. */
export const handOver = (port: MessagePort, ahead: number) => {
  const places = Semaphore.makeUnsafe(ahead)
  const waiting = new Map<number, Deferred.Deferred<void>>()
  let n = 0
  // Plugins share this port and can make it receive anything.
  port.on(
    "message",
    guarded("the hand-over of a run", (message: Partial<ToThread> | null) => {
      const acknowledged = message?.taken
      if (acknowledged === undefined) return
      const deferred = waiting.get(acknowledged)
      waiting.delete(acknowledged)
      if (deferred !== undefined) Deferred.doneUnsafe(deferred, Effect.void)
    })
  )
  return (delivery: Delivery): Effect.Effect<void> =>
    places.withPermits(1)(
      Effect.suspend(() => {
        n++
        const done = Deferred.makeUnsafe<void>()
        waiting.set(n, done)
        const message: FromThread = { type: "delivery", n, delivery }
        port.postMessage(message, [...buffersOf(delivery)])
        return Deferred.await(done)
      })
    )
}
