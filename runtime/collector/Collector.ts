/**
 * The main thread's side of the collector thread: takes its runs, watches its heartbeat, and replaces it when a plugin
 * has blocked it.
 */
import type { Worker } from "node:worker_threads"
import { Clock, Context, Deferred, Duration, Effect, Layer, Queue, Redacted } from "effect"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { inBackground } from "../../core/data/loop.ts"
import type { Manifest } from "../../core/plugin/Plugin.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { KeyValues } from "../upstream/keys.ts"
import type { Limits } from "../upstream/limits.ts"
import type { UpstreamMap } from "../upstream/map.ts"
import * as Heartbeat from "./Heartbeat.ts"
import * as Plugins from "./plugins.ts"
import { type Begin, type FromThread, isFromThread, type ToThread } from "./protocol.ts"
import * as RunState from "./RunState.ts"
import { type Patience, patience as patient, type RunLimits } from "./runLimits.ts"
import { stateOf } from "./Supervisor.ts"
import { type Arrived, takeRuns } from "./takeRuns.ts"
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
  /** MiB that the thread may hold, Buffers included, which the limit of its heap does not count. Default: 1024. */
  readonly memoryMegabytes?: number
  /** How long a thread may take until its first heartbeat, and then for each plugin that it loads. */
  readonly loading?: Duration.Input
}

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
  const limits: Watched = {
    beat,
    missed: options.heartbeat?.missed ?? 10,
    // While its code is read from a cold disk.
    loading: Math.ceil(Duration.toMillis(options.loading ?? "30 seconds") / beat),
    memory: options.memoryMegabytes ?? 1024
  }
  const states = new Map<string, FeedState>()
  const runStates = new Map<string, RunState.RunState>()
  const skip = new Set<string>()
  const manifests = yield* Deferred.make<ReadonlyArray<Manifest>>()
  const inbox = yield* Queue.unbounded<Arrived>()
  const logs = yield* Queue.sliding<Extract<FromThread, { type: "log" }>>(1000)

  const unknown = ({ names, heartbeat }: Thread.Thread): void => {
    const plugin = names[Heartbeat.blamed(heartbeat) - 1]
    Queue.offerUnsafe(logs, {
      type: "log",
      level: "Error",
      message: "the collector thread sent what is not understood; this and more of it is refused",
      annotations: plugin === undefined ? {} : { plugin }
    })
  }

  const hear = (worker: Worker, message: FromThread): void => {
    switch (message.type) {
      case "loaded":
        for (const { plugin, reason } of message.broken) {
          states.set(plugin, unloaded(plugin, reason))
          Queue.offerUnsafe(logs, {
            type: "log",
            level: "Error",
            message: "the plugin cannot be loaded",
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
    const running = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made =
          Thread.takeEarly(folder) ??
          Thread.start({
            folder,
            beat,
            skip: [...skip],
            ...(options.heapMegabytes === undefined ? {} : { heapMegabytes: options.heapMegabytes })
          })
        let refused = false
        made.worker.on("message", (message: unknown) => {
          if (isFromThread(message)) return hear(made.worker, message)
          if (!refused) unknown(made)
          refused = true
        })
        made.worker.postMessage(begin)
        return made
      }),
      // biome-ignore lint/plugin/promise: ending a thread does not reject
      ({ worker }) => Effect.promise(() => worker.terminate())
    )
    const { plugin, why } = yield* Effect.raceFirst(
      Effect.map(
        // biome-ignore lint/plugin/promise: this promise is only ever resolved
        Effect.promise(() => running.ended),
        (why): Fault => ({ why, plugin: Heartbeat.blamed(running.heartbeat) })
      ),
      fault(running, limits)
    )
    return { why, plugin: running.names[plugin - 1], loading: Heartbeat.isLoading(running.heartbeat) }
  }).pipe(Effect.scoped)

  /** Opens the breaker of the plugin that is to blame; the next thread goes on with all the others. */
  const blame = Effect.fnUntraced(function* ({ loading, plugin, why }: Ended) {
    yield* Effect.logError("the collector thread is replaced").pipe(
      Effect.annotateLogs({ plugin: plugin ?? "unknown", cause: why })
    )
    if (plugin === undefined) return yield* Effect.sleep("1 second")
    const runState = runStates.get(plugin)
    if (loading || runState === undefined) {
      // Its code broke the thread while it was loaded, and would do so again.
      skip.add(plugin)
      states.set(plugin, unloaded(plugin, why))
    } else {
      const after = RunState.blocked(runState, yield* Clock.currentTimeMillis, why, patience)
      runStates.set(plugin, after)
      states.set(plugin, stateOf(plugin, "open", after, why))
    }
  })

  yield* inBackground("the collector thread", { afterFailure: "1 second" }, Effect.flatMap(thread, blame))
  yield* takeRuns(inbox, options.deliver)
  yield* inBackground(
    "the collector's log",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(logs), ({ annotations, level, message }) =>
      Effect.annotateLogs(
        Effect.logWithLevel(level === "All" || level === "None" ? "Info" : level)(message),
        annotations
      )
    )
  )
  return Collector.of({ states: Effect.sync(() => new Map(states)), manifests: Deferred.await(manifests) })
})

/** How a thread ended, and the plugin whose code it was in. */
interface Ended {
  readonly why: string
  readonly plugin: string | undefined
  /** True where it had not loaded all plugins yet. */
  readonly loading: boolean
}

/** What a thread is replaced for, and the number of the plugin to blame. */
interface Fault {
  readonly why: string
  readonly plugin: number
}

interface Watched {
  /** Milliseconds between two looks. */
  readonly beat: number
  /** Looks without a heartbeat. */
  readonly missed: number
  /** Looks until the first heartbeat, and then for each plugin that is loaded. */
  readonly loading: number
  /** MiB of its heap and its Buffers. */
  readonly memory: number
}

/**
 * Looks at a thread until it has to be replaced; gives why. Counted in looks and not in time: when the main thread itself
 * was held up, the looks that it missed are held against nobody.
 */
const fault = Effect.fnUntraced(function* ({ heartbeat, worker }: Thread.Thread, limits: Watched) {
  const { beat, loading, memory } = limits
  const lasting = (looks: number) => Duration.format(Duration.millis(looks * beat))
  let heard = 0
  let missed = 0
  let at = 0
  let stayed = 0
  let held = 0
  // biome-ignore lint/plugin/loop: looks at numbers until one is wrong, and whoever runs it is a loop
  while (true) {
    yield* Effect.sleep(beat)
    const faulty = (why: string): Fault => ({ why, plugin: Heartbeat.blamed(heartbeat) })
    if (Heartbeat.isSpoiled(heartbeat))
      return faulty("changed objects of the language that all plugins share")
    const beats = Heartbeat.beats(heartbeat)
    missed = beats === heard ? missed + 1 : 0
    heard = beats
    const allowed = heard === 0 ? Math.max(limits.missed, loading) : limits.missed
    if (missed >= allowed) return faulty(`blocked the thread for ${lasting(allowed)}`)
    const entered = Heartbeat.entered(heartbeat)
    stayed = Heartbeat.isLoading(heartbeat) && entered === at ? stayed + 1 : 0
    at = entered
    if (stayed >= loading) return faulty(`was not loaded within ${lasting(loading)}`)
    if (held > memory) {
      // Of a plugin whose code has not returned yet nothing is charged.
      const inside = missed > 0 && entered !== 0
      return {
        why: `the thread holds ${Math.round(held)} MiB of memory, and may hold ${memory} (COLLECTOR_MEMORY_MIB)`,
        plugin: inside ? entered : Heartbeat.grewMost(heartbeat) || Heartbeat.blamed(heartbeat)
      }
    }
    Heartbeat.forget(heartbeat)
    // Not waited for: a thread that is blocked outside of JavaScript gives no figures.
    worker.getHeapStatistics().then(
      ({ external_memory, used_heap_size }) => {
        held = (used_heap_size + external_memory) / 2 ** 20
      },
      () => {}
    )
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
