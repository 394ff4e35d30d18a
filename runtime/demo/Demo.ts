/** The main thread's side of the demo, which replaces the collector of live mode. */
import type { Worker } from "node:worker_threads"
import { Array as Arr, Context, Deferred, Effect, Layer, Queue, Semaphore } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { guarded } from "../../core/process/guarded.ts"
import { inBackground } from "../../core/process/loop.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { ToThread } from "../collector/protocol.ts"
import { type ReceivedRun, storeTogether } from "../collector/storeRuns.ts"
import type { Begin, FromThread } from "./protocol.ts"
import * as Thread from "./thread.ts"

export interface Options {
  /** Keeps runs; the thread hands over only a few more until this is done. */
  readonly deliver: (...deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void>
  /** The folder of `blobFiles.ts` in which bodies are kept; undefined where they are kept elsewhere. */
  readonly bodiesFolder: string | undefined
  /** Shows runs of the last ones, which are handed over again, to be kept, when the past has come to them. */
  readonly preview: (...deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void>
  /** Plugins that play although their manifest is `disabled`. */
  readonly enabled?: ReadonlyArray<string>
  /** Leave the past out: the database has it. The last readings, which are kept then, and the cadence after them come in any case. */
  readonly skipPast?: boolean
}

/** Runs that are kept together: of one time, in the past. */
const together = 32

/** How many times as many are kept at once: some are looked up while the rows of others are stored. */
const atOnce = 2

/** Runs that the thread may make while others are kept, or a day is closed: as many as two days have. */
const ahead = 180

/** A time of the past at which something other than a reading happens. */
export interface Moment {
  readonly at: number
  /** Lets the past go on. */
  readonly reached: () => void
}

/** What the thread tells of the past: a run, a moment, or that it is over. */
type Happening = ReceivedRun | { readonly at: number } | "over"

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
  const skipPast = options.skipPast ?? false
  const versions = yield* Versions
  const states = new Map<string, FeedState>()
  const manifests = yield* Deferred.make<ReadonlyArray<Manifest>>()
  const newest = yield* Deferred.make<void>()
  const past = yield* Deferred.make<void>()
  /** In the order in which the past was: a run is kept when everything before it is, a moment included. */
  const inbox = yield* Queue.unbounded<Happening>()
  const moments = yield* Queue.unbounded<Moment>()
  const unusable = yield* Queue.unbounded<Extract<FromThread, { type: "unusable" }>>()
  const troubles = yield* Queue.sliding<Extract<FromThread, { type: "trouble" }>>(1000)
  const begin: Begin = {
    offset: yield* DataClock.offset,
    enabled: options.enabled ?? [],
    skipPast,
    bodiesFolder: options.bodiesFolder,
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
        Queue.offerUnsafe(inbox, {
          delivery: message.delivery,
          acknowledge: () => worker.postMessage(answer)
        })
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

  const { failed, worker } = yield* Effect.acquireRelease(
    Effect.sync(() => Thread.takeEarly() ?? Thread.start()),
    // biome-ignore lint/plugin/promise: ending a thread does not reject
    ({ worker }) => Effect.promise(() => worker.terminate())
  )
  worker.on("message", guarded("a message of the demo's thread", hear(worker)))
  void failed.then((error) => {
    const died = Effect.die(error)
    for (const waiting of [newest, past]) Deferred.doneUnsafe(waiting, died)
    Deferred.doneUnsafe(manifests, died)
  })
  worker.postMessage(begin)

  const keep = (...deliveries: ReadonlyArray<Delivery>) =>
    skipPast || Deferred.isDoneUnsafe(newest)
      ? options.deliver(...deliveries)
      : options.preview(...deliveries)
  const reach = (at: number) =>
    Effect.callback<void>((resume) => {
      Queue.offerUnsafe(moments, { at, reached: () => resume(Effect.void) })
    })
  const places = yield* Semaphore.make(atOnce)
  const allKept = places.withPermits(atOnce)(Effect.void)
  let time: string | undefined
  /** Whether it can be kept with those before it. The last readings can in any order, because each plugin has one. */
  const belongs = (one: Happening): one is ReceivedRun =>
    one !== "over" && "delivery" in one && (!Deferred.isDoneUnsafe(newest) || one.delivery.run.now === time)
  let arrived: ReadonlyArray<Happening> = []
  yield* inBackground(
    "receiving the demo's runs",
    { afterFailure: "1 second" },
    Effect.gen(function* () {
      if (arrived.length === 0) arrived = yield* Queue.takeAll(inbox)
      const [next, ...rest] = arrived
      if (next === undefined) return
      if (!belongs(next)) yield* allKept
      if (next === "over" || "at" in next) {
        arrived = rest
        return yield* next === "over" ? Deferred.succeed(past, undefined) : reach(next.at)
      }
      time = next.delivery.run.now
      yield* places.take(1)
      const runs = Arr.takeWhile(arrived, belongs).slice(0, together)
      arrived = arrived.slice(runs.length)
      yield* Effect.forkChild(Effect.ensuring(storeTogether(runs, keep), places.release(1)))
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
