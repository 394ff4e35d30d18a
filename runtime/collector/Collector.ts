/**
 * The main thread's side of the collector thread. It takes the thread's runs, watches its heartbeat, and replaces it when
 * a plugin blocks it.
 */
import type { Worker } from "node:worker_threads"
import { Clock, Context, Deferred, Duration, Effect, Layer, Queue, Redacted } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { guarded } from "../../core/process/guarded.ts"
import { inBackground } from "../../core/process/loop.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import type { Looked } from "../../core/readings/recheck/keepRecheck.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { NotaryText } from "../notaries/drawing.ts"
import type { KeyValues } from "../upstream/keys.ts"
import type { UpstreamLimits } from "../upstream/limits.ts"
import type { UpstreamMap } from "../upstream/map.ts"
import { watch as blocking } from "./blocking.ts"
import * as Heartbeat from "./Heartbeat.ts"
import type { Owned } from "./Owned.ts"
import * as Plugins from "./plugins.ts"
import { type Begin, type FromThread, isFromThread, type Order, type ToThread } from "./protocol.ts"
import * as RunState from "./RunState.ts"
import { type BackoffPolicy, defaultBackoff as patient, type RunLimits } from "./runLimits.ts"
import { stateOf } from "./Supervisor.ts"
import { type ReceivedRun, storeRuns } from "./storeRuns.ts"
import * as Thread from "./thread.ts"

export interface Options {
  /** Stores a run. Meanwhile the thread hands over only a few more. After a defect, which is logged, the run is lost. */
  readonly deliver: (delivery: Delivery) => Effect.Effect<void>
  /** Default: `plugins/`. */
  readonly folder?: URL
  /** Values of the settings that manifests name in `auth`. */
  readonly keys?: KeyValues
  /** Values of declared settings, by environment variable (`variableOf`). */
  readonly settings?: Readonly<Record<string, string>>
  /** Plugins to run even though their manifest says `disabled`. */
  readonly enabled?: ReadonlyArray<string>
  /** Plugins' runs before this process, by id. Plugins without an entry start from scratch. */
  readonly earlier?: ReadonlyMap<string, RunState.Earlier>
  /** Called on every change; a plugin that cannot be loaded has no run state. */
  readonly onState?: (state: FeedState, runState?: RunState.RunState) => void
  /** The notaries that runs are drawn from, with the tokens in their addresses. Default: none. */
  readonly notaries?: Redacted.Redacted<ReadonlyArray<NotaryText>>
  /** Stores what a notary states of a run. */
  readonly deliverNotes?: (notes: RunNotes) => Effect.Effect<void>
  readonly map?: UpstreamMap
  readonly contact?: string
  /** The clock by which runs are dated. Default: this machine's. */
  readonly clock?: NonNullable<Begin["clock"]>
  readonly limits?: Partial<UpstreamLimits>
  readonly runLimits?: Partial<RunLimits>
  readonly backoff?: Partial<BackoffPolicy>
  /** The thread is replaced once it has used the CPU time of this many heartbeats without one. */
  readonly heartbeat?: { readonly every: Duration.Input; readonly missed: number }
  readonly heapMegabytes?: Thread.Options["heapMegabytes"]
  /** Memory limit of the thread in MiB, including Buffers, which the heap limit does not count. Default: 1024. */
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
    /** Starts to collect feeds. */
    readonly own: (feeds: ReadonlyArray<Owned>) => Effect.Effect<void>
    /** The feeds that this process collects. */
    readonly owned: Effect.Effect<ReadonlyArray<string>>
    /** Runs a feed out of its schedule, for the target with this symbol or for all, and stores nothing of it. */
    readonly lookAgain: (plugin: string, symbol?: string) => Effect.Effect<Looked>
    /** Stops to collect feeds. Returns once none of their runs is in progress, and each is stored. */
    readonly disown: (plugins: ReadonlyArray<string>) => Effect.Effect<void>
    /** Names the newest cosigned checkpoint, by whose hash the next runs' notaries are drawn. */
    readonly drawBy: (head: string) => Effect.Effect<void>
  }
>()("runtime/collector/Collector") {
  static readonly layer = (options: Options): Layer.Layer<Collector> => Layer.effect(Collector, make(options))
}

const make = Effect.fnUntraced(function* (options: Options) {
  const folder = options.folder ?? Plugins.root
  const backoff = { ...patient, ...options.backoff }
  const beat = Duration.toMillis(options.heartbeat?.every ?? Thread.usualBeat)
  const limits: Watched = {
    beat,
    missed: options.heartbeat?.missed ?? 10,
    // Loading takes longer when the code is read from a cold disk.
    loading: Math.ceil(Duration.toMillis(options.loading ?? "30 seconds") / beat),
    memory: options.memoryMegabytes ?? 1024
  }
  const states = new Map<string, FeedState>()
  const runStates = new Map<string, RunState.RunState>()
  const show = (state: FeedState, runState?: RunState.RunState): void => {
    states.set(state.plugin, state)
    if (runState !== undefined) runStates.set(state.plugin, runState)
    options.onState?.(state, runState)
  }
  const owned = new Map<string, Owned>()
  /** The threads that have begun, and which plugins each runs. */
  const workers = new Map<Worker, "large" | "small">()
  /** By number of the order: runs out of schedule, and the thread that makes each. */
  const looking = new Map<number, { readonly thread: Worker; readonly done: Deferred.Deferred<Looked> }>()
  const looked = (n: number, result: Looked): void => {
    const order = looking.get(n)
    looking.delete(n)
    if (order !== undefined) Deferred.doneUnsafe(order.done, Effect.succeed(result))
  }
  /** By number of the order: the threads in which runs of the feeds that it ends may still be in progress. */
  const leaving = new Map<number, { readonly threads: Set<Worker>; readonly done: Deferred.Deferred<void> }>()
  let orders = 0
  const left = (worker: Worker, n: number): void => {
    const order = leaving.get(n)
    order?.threads.delete(worker)
    if (order === undefined || order.threads.size > 0) return
    leaving.delete(n)
    Deferred.doneUnsafe(order.done, Effect.void)
  }
  const skip = new Set<string>()
  /** The plugins that read large bodies. They have a thread of their own, in which only they wait for each other. */
  const large = new Set<string>()
  const another = yield* Queue.sliding<string>(1)
  const manifests = yield* Deferred.make<ReadonlyArray<Manifest>>()
  const inbox = yield* Queue.unbounded<ReceivedRun>()
  // What cannot be stored in time is too late anyway: the hour's document is written without it.
  const notes = yield* Queue.sliding<RunNotes>(1000)
  let head: string | undefined
  const logs = yield* Queue.sliding<Extract<FromThread, { type: "log" }>>(1000)

  const unknown = ({ names, heartbeat }: Thread.Thread): void => {
    const plugin = names[Heartbeat.blamed(heartbeat) - 1]
    Queue.offerUnsafe(logs, {
      type: "log",
      level: "Error",
      message: "the collector thread sent an invalid message; ignoring this and any further ones",
      annotations: plugin === undefined ? {} : { plugin }
    })
  }

  const hear = (worker: Worker, message: FromThread): void => {
    switch (message.type) {
      case "loaded":
        for (const { plugin, reason } of message.broken) {
          show(unloaded(plugin, reason))
          Queue.offerUnsafe(logs, {
            type: "log",
            level: "Error",
            message: "cannot load plugin",
            annotations: { plugin, cause: reason }
          })
        }
        Deferred.doneUnsafe(manifests, Effect.succeed(message.manifests))
        return
      case "state":
        show(message.state, message.runState)
        return
      case "looked":
        looked(message.n, message.run ?? { unreachable: "the feed is not collected now" })
        return
      case "disowned":
        left(worker, message.n)
        return
      case "delivery": {
        const answer: ToThread = { taken: message.n }
        Queue.offerUnsafe(inbox, {
          delivery: message.delivery,
          acknowledge: () => worker.postMessage(answer)
        })
        return
      }
      case "notes":
        Queue.offerUnsafe(notes, message.notes)
        return
      case "large":
        large.add(message.plugin)
        Queue.offerUnsafe(another, message.plugin)
        return
      case "log":
        Queue.offerUnsafe(logs, message)
    }
  }

  /** Runs one thread until it ends or stops beating: with the plugins that read large bodies, or with all others. */
  const thread = Effect.fnUntraced(function* (bodies: "large" | "small") {
    const begin: Begin = {
      owned: [...owned.values()],
      before: runStates,
      earlier: options.earlier ?? new Map(),
      keys: Object.fromEntries(
        Object.entries(options.keys ?? {}).map(([name, value]) => [name, Redacted.value(value)])
      ),
      settings: options.settings ?? {},
      enabled: options.enabled ?? [],
      runLimits: options.runLimits ?? {},
      backoff: options.backoff ?? {},
      outside: {
        limits: options.limits ?? {},
        map: Object.fromEntries([...(options.map ?? [])].map(([host, to]) => [host, to.href])),
        ...(options.contact === undefined ? {} : { contact: options.contact })
      },
      notaries: {
        all: options.notaries === undefined ? [] : Redacted.value(options.notaries),
        ...(head === undefined ? {} : { head })
      },
      ahead: 4,
      ...(options.clock === undefined ? {} : { clock: options.clock })
    }
    const running = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const thread =
          (bodies === "small" ? Thread.takeEarly(folder) : undefined) ??
          Thread.start({
            folder,
            beat,
            ...(bodies === "small"
              ? { skip: [...skip, ...large] }
              : { skip: [...skip], only: [...large], largest: Number.POSITIVE_INFINITY }),
            ...(options.heapMegabytes === undefined ? {} : { heapMegabytes: options.heapMegabytes })
          })
        let refused = false
        thread.worker.on(
          "message",
          guarded("a message of the collector thread", (message: unknown) => {
            if (isFromThread(message)) return hear(thread.worker, message)
            if (!refused) unknown(thread)
            refused = true
          })
        )
        thread.worker.postMessage(begin)
        workers.set(thread.worker, bodies)
        return thread
      }),
      (thread) =>
        Effect.suspend(() => {
          workers.delete(thread.worker)
          // Its runs end with it.
          for (const n of [...leaving.keys()]) left(thread.worker, n)
          for (const [n, order] of looking)
            if (order.thread === thread.worker) looked(n, { unreachable: "the collector's thread ended" })
          // biome-ignore lint/plugin/promise: ending a thread does not reject
          return Effect.promise(() => thread.worker.terminate())
        })
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
  }, Effect.scoped)

  /** Opens the breaker of the plugin at fault; the next thread continues with the others. */
  const blame = Effect.fnUntraced(function* ({ loading, plugin, why }: Ended) {
    yield* Effect.logError("replacing the collector thread").pipe(
      Effect.annotateLogs({ plugin: plugin ?? "unknown", cause: why })
    )
    if (plugin === undefined) return yield* Effect.sleep("1 second")
    const runState = runStates.get(plugin)
    if (loading || runState === undefined) {
      // Its code broke the thread while loading, and would do so again.
      skip.add(plugin)
      show(unloaded(plugin, why))
    } else {
      const after = RunState.blocked(runState, yield* Clock.currentTimeMillis, why, backoff)
      show(stateOf(plugin, "open", after, why), after)
    }
  })

  yield* inBackground(
    "the collector thread",
    { afterFailure: "1 second" },
    Effect.flatMap(thread("small"), blame)
  )
  yield* inBackground(
    "the collector thread of large bodies",
    { afterFailure: "1 second" },
    Effect.gen(function* () {
      if (large.size === 0) yield* Queue.take(another)
      // One more begins a new thread, in which the runs that were under way begin again.
      const ended = yield* Effect.raceFirst(thread("large"), Effect.as(Queue.take(another), undefined))
      if (ended !== undefined) yield* blame(ended)
    })
  )
  yield* storeRuns(inbox, options.deliver)
  yield* inBackground(
    "storing what notaries state",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(notes), (some) => options.deliverNotes?.(some) ?? Effect.void)
  )
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
  const order = (message: Order): void => {
    for (const worker of workers.keys()) worker.postMessage(message)
  }
  const lookAgain = (plugin: string, symbol?: string): Effect.Effect<Looked> =>
    Effect.suspend(() => {
      const bodies = large.has(plugin) ? "large" : "small"
      const thread = [...workers].find(([, kind]) => kind === bodies)?.[0]
      if (thread === undefined || !owned.has(plugin))
        return Effect.succeed({ unreachable: "the feed is not collected now" })
      orders++
      const done = Deferred.makeUnsafe<Looked>()
      looking.set(orders, { thread, done })
      const message: Order = { look: plugin, n: orders, ...(symbol === undefined ? {} : { symbol }) }
      thread.postMessage(message)
      return Deferred.await(done)
    })
  return Collector.of({
    states: Effect.sync(() => new Map(states)),
    manifests: Deferred.await(manifests),
    drawBy: (newest) =>
      Effect.sync(() => {
        head = newest
        order({ head: newest })
      }),
    owned: Effect.sync(() => [...owned.keys()]),
    lookAgain,
    own: (feeds) =>
      Effect.sync(() => {
        for (const feed of feeds) owned.set(feed.plugin, feed)
        order({ own: feeds })
      }),
    disown: (plugins) =>
      Effect.suspend(() => {
        for (const plugin of plugins) owned.delete(plugin)
        if (workers.size === 0) return Effect.void
        orders++
        const done = Deferred.makeUnsafe<void>()
        leaving.set(orders, { threads: new Set(workers.keys()), done })
        order({ disown: plugins, n: orders })
        return Deferred.await(done)
      }).pipe(
        // Whoever collects them next knows more of them.
        Effect.ensuring(
          Effect.sync(() => {
            for (const plugin of plugins) runStates.delete(plugin)
          })
        )
      )
  })
})

/** Why a thread ended, and which plugin's code it was running. */
interface Ended {
  readonly why: string
  readonly plugin: string | undefined
  /** True if it was still loading plugins. */
  readonly loading: boolean
}

/** Why a thread must be replaced, and the number of the plugin at fault. */
interface Fault {
  readonly why: string
  readonly plugin: number
}

interface Watched {
  /** Milliseconds between two checks. */
  readonly beat: number
  /** Heartbeats that it may miss while it computes. */
  readonly missed: number
  /** Checks until the first heartbeat, and then for each plugin that is loaded. */
  readonly loading: number
  /** MiB of its heap and its Buffers. */
  readonly memory: number
}

/**
 * Watches a thread until it must be replaced, and returns why. It counts checks and CPU time: when the main thread itself
 * or the whole machine is delayed, no plugin is blamed.
 */
const fault = Effect.fnUntraced(function* ({ heartbeat, worker }: Thread.Thread, limits: Watched) {
  const { beat, loading, memory } = limits
  const lasting = (looks: number) => Duration.format(Duration.millis(looks * beat))
  const look = blocking(beat)
  let at = 0
  let stayed = 0
  const usage = yield* sampleUsage(worker, beat)
  // biome-ignore lint/plugin/loop: ends at the first fault, and its caller is a supervised loop
  while (true) {
    yield* Effect.sleep(beat)
    const faulty = (why: string): Fault => ({ why, plugin: Heartbeat.blamed(heartbeat) })
    if (Heartbeat.isSpoiled(heartbeat)) return faulty("changed built-in objects that all plugins share")
    const beats = Heartbeat.beats(heartbeat)
    const allowed = beats === 0 ? Math.max(limits.missed, loading) : limits.missed
    const { blocked, missed } = look({ beats, cpu: usage.cpu }, allowed)
    if (blocked) return faulty(`blocked the thread for ${lasting(allowed)}`)
    const entered = Heartbeat.entered(heartbeat)
    stayed = Heartbeat.isLoading(heartbeat) && entered === at ? stayed + 1 : 0
    at = entered
    if (stayed >= loading) return faulty(`did not load within ${lasting(loading)}`)
    if (usage.memory > memory) {
      // A plugin whose code has not returned yet has not been charged for its memory.
      const inside = missed > 0 && entered !== 0
      return {
        why: `the thread uses ${Math.round(usage.memory)} MiB of memory; the limit is ${memory} (COLLECTOR_MEMORY_MIB)`,
        plugin: inside ? entered : Heartbeat.grewMost(heartbeat) || Heartbeat.blamed(heartbeat)
      }
    }
    Heartbeat.forget(heartbeat)
  }
})

/** The newest samples of a thread. */
interface Usage {
  /** Milliseconds of CPU time that it has used so far. */
  cpu: number
  /** MiB of its heap and its Buffers. */
  memory: number
}

/**
 * Samples a thread until the scope ends. A thread that is blocked outside JavaScript answers neither question, so each has a
 * loop of its own, and nobody waits for them.
 */
const sampleUsage = Effect.fnUntraced(function* (worker: Worker, beat: number) {
  const usage: Usage = { cpu: 0, memory: 0 }
  yield* inBackground(
    "sampling the collector thread's CPU time",
    beat,
    Effect.tryPromise(() => worker.cpuUsage()).pipe(
      Effect.tap(({ system, user }) =>
        Effect.sync(() => {
          usage.cpu = (system + user) / 1000
        })
      ),
      // A thread that has just ended is reported by its end.
      Effect.ignore
    )
  )
  yield* inBackground(
    "sampling the collector thread's memory",
    beat,
    Effect.tryPromise(() => worker.getHeapStatistics()).pipe(
      Effect.tap(({ external_memory, used_heap_size }) =>
        Effect.sync(() => {
          usage.memory = (used_heap_size + external_memory) / 2 ** 20
        })
      ),
      Effect.ignore
    )
  )
  return usage
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
