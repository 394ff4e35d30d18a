/**
 * The main thread's side of the collector thread: takes its runs, watches its heartbeat, and replaces it when a plugin
 * has blocked it.
 */

import type { Worker } from "node:worker_threads"
import { Cause, Clock, Context, Deferred, Duration, Effect, Layer, Queue, Redacted } from "effect"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import type { Manifest } from "../../core/plugin/Plugin.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { KeyValues } from "../upstream/keys.ts"
import type { Limits } from "../upstream/limits.ts"
import type { UpstreamMap } from "../upstream/map.ts"
import * as Heartbeat from "./Heartbeat.ts"
import * as Plugins from "./plugins.ts"
import type { Begin, FromThread, ToThread } from "./protocol.ts"
import * as RunState from "./RunState.ts"
import { type Patience, patience as patient, type RunLimits } from "./runLimits.ts"
import { stateOf } from "./Supervisor.ts"
import * as Thread from "./thread.ts"

export interface Options {
  /** Keeps a run. The thread hands over only a few more until this is done; a defect is logged and the run is lost. */
  readonly deliver: (delivery: Delivery) => Effect.Effect<void>
  /** Default: `plugins/`. */
  readonly folder?: URL
  /** Values of the settings that manifests name in `auth`. */
  readonly keys?: KeyValues
  /** Values of declared settings, by environment variable (`variableOf`). */
  readonly settings?: Readonly<Record<string, string>>
  /** Plugins that run although their manifest is `disabled`. */
  readonly enabled?: ReadonlyArray<string>
  /** What is kept of plugins' runs before this process, by id; others start afresh. */
  readonly earlier?: ReadonlyMap<string, RunState.Earlier>
  readonly map?: UpstreamMap
  readonly contact?: string
  readonly limits?: Partial<Limits>
  readonly runLimits?: Partial<RunLimits>
  readonly patience?: Partial<Patience>
  /** The thread is ended after so many heartbeats missed in a row. */
  readonly heartbeat?: { readonly every: Duration.Input; readonly missed: number }
  readonly heapMegabytes?: Thread.Options["heapMegabytes"]
}

/** Milliseconds that a thread may take until its first heartbeat, while its code is read from a cold disk. */
const starting = 30_000

export class Collector extends Context.Service<
  Collector,
  {
    /** By plugin id; empty until the thread has loaded the plugins. */
    readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
    /** Waits until the thread has loaded the plugins. */
    readonly manifests: Effect.Effect<ReadonlyArray<Manifest>>
  }
>()("runtime/collector/Collector") {
  static readonly layer = (options: Options): Layer.Layer<Collector> => Layer.effect(Collector, make(options))
}

const make = Effect.fnUntraced(function* (options: Options) {
  const folder = options.folder ?? Plugins.root
  const patience = { ...patient, ...options.patience }
  const beat = Duration.toMillis(options.heartbeat?.every ?? Thread.usualBeat)
  const allowed = options.heartbeat?.missed ?? 10
  const states = new Map<string, FeedState>()
  const runStates = new Map<string, RunState.RunState>()
  const skip = new Set<string>()
  const manifests = yield* Deferred.make<ReadonlyArray<Manifest>>()
  const inbox = yield* Queue.unbounded<{ readonly delivery: Delivery; readonly taken: () => void }>()
  const logs = yield* Queue.sliding<Extract<FromThread, { type: "log" }>>(1000)

  const hear = (worker: Worker) => (message: FromThread) => {
    switch (message.type) {
      case "loaded":
        for (const { plugin, reason } of message.broken) {
          states.set(plugin, unloaded(plugin, reason))
          Queue.offerUnsafe(logs, {
            type: "log",
            level: "Error",
            message: "the plugin can not be loaded",
            annotations: { plugin, cause: reason }
          })
        }
        Deferred.doneUnsafe(manifests, Effect.succeed(message.manifests))
        return
      case "state":
        states.set(message.state.plugin, message.state)
        runStates.set(message.state.plugin, message.runState)
        return
      case "delivery": {
        const answer: ToThread = { taken: message.n }
        Queue.offerUnsafe(inbox, { delivery: message.delivery, taken: () => worker.postMessage(answer) })
        return
      }
      case "log":
        Queue.offerUnsafe(logs, message)
    }
  }

  /** Runs one thread until it ends or stops beating. */
  const thread = Effect.gen(function* () {
    const begin: Begin = {
      before: runStates,
      earlier: options.earlier ?? new Map(),
      keys: Object.fromEntries(
        Object.entries(options.keys ?? {}).map(([name, value]) => [name, Redacted.value(value)])
      ),
      settings: options.settings ?? {},
      enabled: options.enabled ?? [],
      runLimits: options.runLimits ?? {},
      patience: options.patience ?? {},
      outside: {
        limits: options.limits ?? {},
        map: Object.fromEntries([...(options.map ?? [])].map(([host, to]) => [host, to.href])),
        ...(options.contact === undefined ? {} : { contact: options.contact })
      },
      ahead: 4
    }
    const { ended, names, heartbeat } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made =
          Thread.takeEarly(folder) ??
          Thread.start({
            folder,
            beat,
            skip: [...skip],
            ...(options.heapMegabytes === undefined ? {} : { heapMegabytes: options.heapMegabytes })
          })
        made.worker.on("message", hear(made.worker))
        made.worker.postMessage(begin)
        return made
      }),
      ({ worker }) => Effect.promise(() => worker.terminate())
    )
    const silent = Effect.as(
      silence(heartbeat, beat, allowed),
      `blocked the thread for ${Duration.format(Duration.millis(beat * allowed))}`
    )
    const why = yield* Effect.raceFirst(
      Effect.promise(() => ended),
      silent
    )
    return { why, plugin: names[Heartbeat.blamed(heartbeat) - 1] }
  }).pipe(Effect.scoped)

  /** Opens the breaker of the plugin that is to blame; the next thread goes on with all the others. */
  const blame = Effect.fnUntraced(function* (plugin: string | undefined, why: string) {
    yield* Effect.logError("the collector thread is replaced").pipe(
      Effect.annotateLogs({ plugin: plugin ?? "unknown", cause: why })
    )
    if (plugin === undefined) return yield* Effect.sleep("1 second")
    const runState = runStates.get(plugin)
    if (runState === undefined) {
      // It was never run: its code blocked the thread while it was loaded, and would do so again.
      skip.add(plugin)
      states.set(plugin, unloaded(plugin, why))
    } else {
      const after = RunState.blocked(runState, yield* Clock.currentTimeMillis, why, patience)
      runStates.set(plugin, after)
      states.set(plugin, stateOf(plugin, "open", after, why))
    }
  })

  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(thread, ({ plugin, why }) => blame(plugin, why))))
  yield* Queue.take(inbox).pipe(
    Effect.flatMap(({ delivery, taken }) =>
      options.deliver(delivery).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.logError("a run could not be kept", cause).pipe(
                Effect.annotateLogs({ plugin: delivery.run.plugin, run: delivery.run.id })
              )
        ),
        Effect.andThen(Effect.sync(taken))
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Queue.take(logs).pipe(
    Effect.flatMap(({ annotations, level, message }) =>
      Effect.annotateLogs(
        Effect.logWithLevel(level === "All" || level === "None" ? "Info" : level)(message),
        annotations
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
  return Collector.of({ states: Effect.sync(() => new Map(states)), manifests: Deferred.await(manifests) })
})

/**
 * Ends when the heartbeat has not been told of a heartbeat `allowed` times in a row. Counted in looks and not in time: when
 * the main thread itself was held up, the looks that it missed are held against nobody.
 */
const silence = Effect.fnUntraced(function* (heartbeat: Heartbeat.Heartbeat, beat: number, allowed: number) {
  let heard = 0
  let missed = 0
  while (missed < (heard === 0 ? Math.max(allowed, starting / beat) : allowed)) {
    yield* Effect.sleep(beat)
    const beats = Heartbeat.beats(heartbeat)
    missed = beats === heard ? missed + 1 : 0
    heard = beats
  }
})

const unloaded = (plugin: string, reason: string): FeedState => ({
  plugin,
  state: "open",
  reason,
  last_started: null,
  last_success: null,
  last_failure: null,
  last_error: reason,
  next_run: null,
  runs: 0,
  failures: 0
})
