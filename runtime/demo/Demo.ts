/** The main thread's side of the demo, which replaces the collector of live mode. */
import { Worker } from "node:worker_threads"
import { Context, Deferred, Effect, Layer, Queue, Semaphore } from "effect"
import * as DataClock from "../../core/data/DataClock.ts"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { inBackground } from "../../core/data/loop.ts"
import { Versions } from "../../core/data/read/Versions.ts"
import type { Manifest } from "../../core/plugin/Plugin.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { ToThread } from "../collector/protocol.ts"
import { type Arrived, takeRun } from "../collector/takeRuns.ts"
import type { FromThread, ThreadData } from "./protocol.ts"

export interface Options {
  /** Keeps a run; the thread hands over only a few more until this is done. */
  readonly deliver: (delivery: Delivery) => Effect.Effect<void>
  /** Shows a run of the last ones, which is handed over again, to be kept, when the past has come to it. */
  readonly preview: (delivery: Delivery) => Effect.Effect<void>
  /** Plugins that play although their manifest is `disabled`. */
  readonly enabled?: ReadonlyArray<string>
  /** Leave the past out: the database has it. The last readings, which are kept then, and the cadence after them come in any case. */
  readonly skipPast?: boolean
}

/** Runs of one time that are kept at once: the bodies of one are stored while the rows of another are. */
const atOnce = 3

/** Runs that the thread may make while the main thread closes a day: as many as a day has. */
const ahead = 64

/** A time of the past at which something other than a reading happens. */
export interface Moment {
  readonly at: number
  /** Lets the past go on. */
  readonly reached: () => void
}

export class Demo extends Context.Service<
  Demo,
  {
    /** Waits until the thread has loaded the plugins. */
    readonly manifests: Effect.Effect<ReadonlyArray<Manifest>>
    readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
    /** Waits until there is something to serve: the last reading of every plugin was shown, or is kept. */
    readonly newest: Effect.Effect<void>
    /** The moments of the past, in order; each waits to be reached. */
    readonly moments: Queue.Dequeue<Moment>
    /** Waits until the past is over, which comes in its true order. At once with `skipPast`. */
    readonly past: Effect.Effect<void>
  }
>()("runtime/demo/Demo") {
  /** Follows the data clock of its context (`DataClock.offset`). */
  static readonly layer = (options: Options): Layer.Layer<Demo> =>
    Layer.effect(Demo, make(options)).pipe(Layer.provide(Versions.layer))
}

const make = Effect.fnUntraced(function* (options: Options) {
  const versions = yield* Versions
  const states = new Map<string, FeedState>()
  const manifests = yield* Deferred.make<ReadonlyArray<Manifest>>()
  const newest = yield* Deferred.make<void>()
  const past = yield* Deferred.make<void>()
  /** In the order in which the past was: a run is kept when everything before it is, a moment included. */
  const inbox = yield* Queue.unbounded<Arrived | { readonly at: number } | "over">()
  const moments = yield* Queue.unbounded<Moment>()
  const unusable = yield* Queue.unbounded<Extract<FromThread, { type: "unusable" }>>()
  const troubles = yield* Queue.sliding<Extract<FromThread, { type: "trouble" }>>(1000)
  const data: ThreadData = {
    offset: yield* DataClock.offset,
    enabled: options.enabled ?? [],
    skipPast: options.skipPast ?? false,
    ahead
  }

  const hear = (worker: Worker) => (message: FromThread) => {
    switch (message.type) {
      case "loaded":
        Deferred.doneUnsafe(manifests, Effect.succeed(message.manifests))
        return
      case "state":
        states.set(message.state.plugin, message.state)
        versions.changedUnsafe("feeds")
        return
      case "delivery": {
        const answer: ToThread = { taken: message.n }
        Queue.offerUnsafe(inbox, { delivery: message.delivery, taken: () => worker.postMessage(answer) })
        return
      }
      case "unusable":
        Queue.offerUnsafe(unusable, message)
        return
      case "trouble":
        Queue.offerUnsafe(troubles, message)
        return
      case "newest":
        Deferred.doneUnsafe(newest, Effect.void)
        return
      case "moment":
        Queue.offerUnsafe(inbox, { at: message.at })
        return
      case "past":
        Queue.offerUnsafe(inbox, "over")
    }
  }

  const worker = yield* Effect.acquireRelease(
    Effect.sync(
      () => new Worker(new URL("demo.thread.ts", import.meta.url), { name: "demo", workerData: data })
    ),
    // biome-ignore lint/plugin/promise: ending a thread does not reject
    (worker) => Effect.promise(() => worker.terminate())
  )
  worker.on("message", hear(worker))
  worker.on("error", (error) => {
    const died = Effect.die(error)
    for (const waiting of [newest, past]) Deferred.doneUnsafe(waiting, died)
    Deferred.doneUnsafe(manifests, died)
  })

  const skipPast = options.skipPast ?? false
  const keep = (delivery: Delivery) =>
    skipPast || Deferred.isDoneUnsafe(newest) ? options.deliver(delivery) : options.preview(delivery)
  const reach = (at: number) =>
    Effect.callback<void>((resume) => {
      Queue.offerUnsafe(moments, { at, reached: () => resume(Effect.void) })
    })
  const places = yield* Semaphore.make(atOnce)
  const allKept = places.withPermits(atOnce)(Effect.void)
  let time: string | undefined
  yield* inBackground(
    "receiving the demo's runs",
    { afterFailure: "1 second" },
    Effect.gen(function* () {
      const next = yield* Queue.take(inbox)
      if (next === "over" || "at" in next || next.delivery.run.now !== time) yield* allKept
      if (next === "over") return yield* Deferred.succeed(past, undefined)
      if ("at" in next) return yield* reach(next.at)
      time = next.delivery.run.now
      yield* places.take(1)
      yield* Effect.forkChild(Effect.ensuring(takeRun(next, keep), places.release(1)))
    })
  )
  yield* inBackground(
    "the demo's list of unusable plugins",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(unusable), ({ plugin, why }) =>
      Effect.logError("the demo cannot use a plugin", { plugin, why })
    )
  )
  yield* inBackground(
    "the demo's log",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(troubles), ({ message }) => Effect.logError(message))
  )
  return Demo.of({
    manifests: Deferred.await(manifests),
    states: Effect.sync(() => new Map(states)),
    newest: Deferred.await(newest),
    moments,
    past: Deferred.await(past)
  })
})
