/**
 * Runs each plugin in its own fiber, with its own cadence, time limit and breaker, independent of the others.
 */
import { Clock, Duration, Effect } from "effect"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { loop } from "../../core/data/loop.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { type KeyValues, missingKeys } from "../upstream/keys.ts"
import * as RunState from "./RunState.ts"
import { allRefused } from "./refused.ts"
import { type RunOptions, runOnce, settingsOf } from "./run.ts"
import { type Patience, patience as patient, type RunLimits, runLimits } from "./runLimits.ts"

export interface Supervised {
  readonly plugin: Plugin
  /** The hash of its code and of these settings. */
  readonly codeHash: (settings: Readonly<Record<string, string>>) => string
  readonly around?: RunOptions["around"]
}

export interface SupervisorOptions {
  readonly plugins: ReadonlyArray<Supervised>
  readonly upstream: RunOptions["upstream"]
  /** Takes a finished run. The plugin's next run waits for it. */
  readonly deliver: (delivery: Delivery) => Effect.Effect<void>
  readonly keys?: KeyValues
  /** Values of declared settings, by environment variable (`variableOf`). */
  readonly settings?: Readonly<Record<string, string>>
  /** Ids of plugins to run even though their manifest says `disabled`. */
  readonly enabled?: ReadonlySet<string>
  readonly limits?: Partial<RunLimits>
  readonly patience?: Partial<Patience>
  /** States to continue from, by id. */
  readonly before?: ReadonlyMap<string, RunState.RunState>
  /** Stored runs, by id, for plugins that are not in `before`. Plugins in neither start from scratch. */
  readonly earlier?: ReadonlyMap<string, RunState.Earlier>
  /** Returns when a plugin is to be run no longer: another thread runs it. Its run ends, and counts as none. */
  readonly leaving?: (plugin: string) => Effect.Effect<void>
  /** Called on every change. */
  readonly onState?: (state: FeedState, runState: RunState.RunState) => void
}

export interface Supervisor {
  /** By plugin id. */
  readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
}

/** Starts all plugins; they run until the scope ends. */
export const make = Effect.fnUntraced(function* (options: SupervisorOptions) {
  const states = new Map<string, FeedState>()
  const limits = { ...runLimits, ...options.limits }
  const patience = { ...patient, ...options.patience }

  const supervise = Effect.fnUntraced(function* (supervised: Supervised) {
    const { plugin } = supervised
    const { manifest } = plugin
    const every = Duration.toMillis(manifest.every)
    const begun = yield* Clock.currentTimeMillis
    const earlier = options.earlier?.get(manifest.id)
    let runState =
      options.before?.get(manifest.id) ??
      (earlier === undefined
        ? RunState.fresh(manifest.id, every, begun, patience)
        : RunState.resumed(manifest.id, every, begun, patience, earlier))
    const show = (state: FeedState["state"], reason?: string) => {
      const shown = stateOf(manifest.id, state, runState, reason)
      states.set(manifest.id, shown)
      options.onState?.(shown, runState)
    }

    /** Keeps a problem visible while the plugin runs again; otherwise one that always fails would look healthy. */
    const fare = (sound: "waiting" | "running") => {
      if (runState.trouble === undefined) show(sound)
      else show(RunState.isOpen(runState, patience) ? "open" : runState.trouble, runState.lastError)
    }

    const missing = missingKeys(manifest, options.keys ?? {})
    if (manifest.disabled !== undefined && options.enabled?.has(manifest.id) !== true) {
      return show("disabled", manifest.disabled)
    }
    if (missing.length > 0) return show("needs_key", `${missing.join(", ")} is not set`)

    const settings = settingsOf(manifest, options.settings ?? {})
    const codeHash = supervised.codeHash(settings)
    const once = Effect.gen(function* () {
      fare("waiting")
      yield* Effect.sleep(Math.max(0, runState.next - (yield* Clock.currentTimeMillis)))
      runState = RunState.started(runState, yield* Clock.currentTimeMillis)
      fare("running")
      const delivery = yield* runOnce({
        plugin,
        codeHash,
        settings,
        keys: options.keys ?? {},
        limits,
        upstream: options.upstream,
        ...(supervised.around === undefined ? {} : { around: supervised.around })
      })
      const { error, exchanges } = delivery.run
      if (error !== undefined) {
        yield* Effect.logWarning("run failed").pipe(
          Effect.annotateLogs({
            plugin: manifest.id,
            request: lastRequest(exchanges),
            error: error.tag,
            cause: error.message
          })
        )
      }
      yield* options.deliver(delivery)
      const now = yield* Clock.currentTimeMillis
      const refusal = allRefused(delivery.run)
      runState =
        error !== undefined
          ? RunState.failed(runState, every, now, `${error.tag}: ${error.message}`, patience)
          : refusal !== undefined
            ? RunState.refused(runState, every, now, refusal)
            : RunState.succeeded(runState, every, now)
    })
    // A defect here is ours, not the plugin's, and must not end the plugin's fiber either.
    return yield* loop("the supervisor", { afterFailure: "1 minute" }, once).pipe(
      Effect.annotateLogs({ plugin: manifest.id }),
      Effect.raceFirst(options.leaving?.(manifest.id) ?? Effect.never)
    )
  })

  for (const supervised of options.plugins) yield* Effect.forkScoped(supervise(supervised))
  return { states: Effect.sync(() => new Map(states)) } satisfies Supervisor
})

const lastRequest = (exchanges: Delivery["run"]["exchanges"]): string => {
  const last = exchanges[exchanges.length - 1]
  return last === undefined ? "none was answered" : `${last.method} ${last.url}`
}

/** A plugin as the read side sees it. */
export const stateOf = (
  plugin: string,
  state: FeedState["state"],
  runState: RunState.RunState,
  reason: string | undefined
): FeedState => ({
  plugin,
  state,
  ...(reason === undefined ? {} : { reason }),
  last_started: timeOf(runState.lastStarted),
  last_success: timeOf(runState.lastSuccess),
  last_failure: timeOf(runState.lastFailure),
  last_error: runState.lastError ?? null,
  next_run: state === "needs_key" || state === "disabled" ? null : timeOf(runState.next),
  runs: runState.runs,
  failures: runState.failures
})

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))
