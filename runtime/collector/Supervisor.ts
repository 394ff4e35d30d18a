/**
 * Runs each plugin that this process owns in its own fiber, with its own cadence, time limit and breaker, independent of the
 * others.
 */
import { Clock, Duration, Effect, Fiber, Latch, Semaphore } from "effect"
import type { SecureRandom } from "effect/crypto"
import { isRefusal } from "../../core/plugin/notes.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { loop } from "../../core/process/loop.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { type KeyValues, missingKeys } from "../upstream/keys.ts"
import { canaryCheck } from "./canaries.ts"
import type { Owned } from "./Owned.ts"
import * as RunState from "./RunState.ts"
import { allRefused } from "./refusalMessage.ts"
import { type Ran, type RunOptions, runOnce, settingsOf } from "./run.ts"
import { type BackoffPolicy, defaultBackoff as patient, type RunLimits, runLimits } from "./runLimits.ts"

export interface Supervised {
  readonly plugin: Plugin
  /** The hash of its code and of these settings. */
  readonly codeHash: (settings: Readonly<Record<string, string>>) => string
  readonly around?: RunOptions["around"]
}

export interface SupervisorOptions {
  readonly plugins: ReadonlyArray<Supervised>
  readonly upstream: RunOptions["upstream"]
  readonly notarised?: NonNullable<RunOptions["notarised"]>
  /** Takes what a notary states of a run. Nothing waits for it. */
  readonly deliverNotes?: (notes: RunNotes) => Effect.Effect<void>
  /** Takes a finished run. The plugin's next run waits for it. */
  readonly deliver: (delivery: Delivery) => Effect.Effect<void>
  readonly keys?: KeyValues
  /** Values of declared settings, by environment variable (`variableOf`). */
  readonly settings?: Readonly<Record<string, string>>
  /** Ids of plugins to run even though their manifest says `disabled`. */
  readonly enabled?: ReadonlySet<string>
  readonly limits?: Partial<RunLimits>
  readonly backoff?: Partial<BackoffPolicy>
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
  /** Starts feeds; those of plugins that are not loaded are left out. They run until the supervisor's scope ends. */
  readonly own: (feeds: ReadonlyArray<Owned>) => Effect.Effect<void>
  /** Ends feeds. Returns once none of their runs is in progress, and each is stored. */
  readonly disown: (plugins: ReadonlyArray<string>) => Effect.Effect<void>
  /**
   * Runs a plugin out of its schedule, for the target with this symbol or for all, after the run in progress. Undefined if it is
   * not run here now.
   */
  readonly lookAgain: (plugin: string, symbol?: string) => Effect.Effect<LookedAgain | undefined>
  /** By plugin id. */
  readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
}

/** What a run gave that was made to compare it. */
export interface LookedAgain {
  readonly delivery: Delivery
  readonly notes?: RunNotes
}

/** Starts no plugin by itself. */
export const make = Effect.fnUntraced(function* (options: SupervisorOptions) {
  const states = new Map<string, FeedState>()
  /** By plugin id, of those that are run: a run out of schedule. */
  const looking = new Map<
    string,
    (symbol: string | undefined) => Effect.Effect<LookedAgain, never, SecureRandom.SecureRandom>
  >()
  const limits = { ...runLimits, ...options.limits }
  const backoff = { ...patient, ...options.backoff }
  const scope = yield* Effect.scope

  const handOverNotes = (notes: RunNotes | undefined) =>
    notes === undefined ? Effect.void : (options.deliverNotes?.(notes) ?? Effect.void)

  const supervise = Effect.fnUntraced(function* (
    supervised: Supervised,
    owned: Owned,
    turn: Semaphore.Semaphore
  ) {
    const { plugin } = supervised
    const { manifest } = plugin
    const every = Duration.toMillis(manifest.every)
    const begun = yield* Clock.currentTimeMillis
    const earlier = options.earlier?.get(manifest.id)
    let runState =
      options.before?.get(manifest.id) ??
      (owned.before !== undefined
        ? RunState.continued(manifest.id, every, begun, backoff, owned.before)
        : earlier === undefined
          ? RunState.fresh(manifest.id, every, begun, backoff)
          : RunState.resumed(manifest.id, every, begun, backoff, earlier))
    let last = owned.lastRun
    let refusedBefore = ""
    const show = (state: FeedState["state"], reason?: string) => {
      const feedState = stateOf(manifest.id, state, runState, reason)
      states.set(manifest.id, feedState)
      options.onState?.(feedState, runState)
    }

    /** Keeps a problem visible while the plugin runs again; otherwise one that always fails would look healthy. */
    const fare = (sound: "waiting" | "running") => {
      if (runState.trouble === undefined) show(sound)
      else show(RunState.isOpen(runState, backoff) ? "open" : runState.trouble, runState.lastError)
    }

    const missing = missingKeys(manifest, options.keys ?? {})
    if (manifest.disabled !== undefined && options.enabled?.has(manifest.id) !== true) {
      return show("disabled", manifest.disabled)
    }
    if (missing.length > 0) return show("needs_key", `${missing.join(", ")} is not set`)

    const settings = settingsOf(manifest, options.settings ?? {})
    const runOf = (how: Pick<RunOptions, "due" | "recheck">) =>
      runOnce({
        plugin,
        codeHash: supervised.codeHash(settings),
        settings,
        keys: options.keys ?? {},
        limits,
        last,
        upstream: options.upstream,
        canary: canaryCheck(manifest),
        ...how,
        ...(options.notarised === undefined ? {} : { notarised: options.notarised }),
        ...(supervised.around === undefined ? {} : { around: supervised.around })
      }).pipe(
        Effect.tap(({ run }) =>
          Effect.sync(() => {
            last = run.id
          })
        ),
        Effect.map(
          (ran): Ran => ({
            ...ran,
            ...(owned.epoch === undefined ? {} : { epoch: owned.epoch })
          })
        )
      )
    const lookAgain = Effect.fnUntraced(function* (symbol: string | undefined) {
      const { notes, ...delivery } = yield* turn.withPermits(1)(runOf({ recheck: { symbol } }))
      // The answer waits for its notary; the feed's next run does not.
      const stated = notes === undefined ? undefined : yield* notes
      const lookedAgain: LookedAgain = { delivery, ...(stated === undefined ? {} : { notes: stated }) }
      return lookedAgain
    })
    looking.set(manifest.id, lookAgain)
    const run = Effect.gen(function* () {
      const due = runState.next
      runState = RunState.started(runState, yield* Clock.currentTimeMillis)
      fare("running")
      const { notes, ...delivery } = yield* runOf({ due })
      // At once: a notary forgets a session soon.
      const disclosed = notes === undefined ? undefined : yield* Effect.forkIn(notes, scope)
      const { error, exchanges } = delivery.run
      if (error !== undefined) {
        yield* Effect.logWarning("run failed").pipe(
          Effect.annotateLogs({
            plugin: manifest.id,
            request: requestOf(error.message, exchanges),
            error: error.tag,
            cause: error.message
          })
        )
      }
      // Once, when other parts fail than in the run before: one that is broken for weeks would fill the log.
      const refusals = delivery.run.refused.filter(isRefusal)
      const [first] = refusals
      const refusedNow = namesOf(refusals)
      if (first !== undefined && refusedNow !== refusedBefore) {
        yield* Effect.logWarning("parts of a run were refused").pipe(
          Effect.annotateLogs({
            plugin: manifest.id,
            request: requestOf(first.reason, exchanges),
            parts: refusals.length,
            first: `${first.symbol} ${first.metric}`,
            cause: first.reason
          })
        )
      }
      if (error === undefined) refusedBefore = refusedNow
      yield* options.deliver(delivery)
      // The run is stored by now, and does not wait for its notes.
      if (disclosed !== undefined)
        yield* Effect.forkIn(Effect.flatMap(Fiber.join(disclosed), handOverNotes), scope)
      const now = yield* Clock.currentTimeMillis
      const refusal = allRefused(delivery.run)
      runState =
        error !== undefined
          ? RunState.failed(runState, every, now, `${error.tag}: ${error.message}`, backoff)
          : refusal !== undefined
            ? RunState.refused(runState, every, now, refusal)
            : RunState.succeeded(runState, every, now)
    })
    const once = Effect.gen(function* () {
      fare("waiting")
      yield* Effect.sleep(Math.max(0, runState.next - (yield* Clock.currentTimeMillis)))
      yield* turn.withPermits(1)(run)
    })
    // A defect here is ours, not the plugin's, and must not end the plugin's fiber either.
    return yield* loop("the supervisor", { afterFailure: "1 minute" }, once).pipe(
      Effect.annotateLogs({ plugin: manifest.id }),
      Effect.raceFirst(options.leaving?.(manifest.id) ?? Effect.never)
    )
  })

  const context = yield* Effect.context<SecureRandom.SecureRandom>()
  const plugins = new Map(options.plugins.map((supervised) => [supervised.plugin.manifest.id, supervised]))
  const running = new Map<string, { readonly leave: Latch.Latch; readonly fiber: Fiber.Fiber<void> }>()

  const start = Effect.fnUntraced(function* (supervised: Supervised, owned: Owned) {
    const leave = yield* Latch.make(false)
    const turn = yield* Semaphore.make(1)
    const before = running.get(owned.plugin)
    before?.leave.openUnsafe()
    const fiber = yield* Effect.gen(function* () {
      if (before !== undefined) yield* Fiber.await(before.fiber)
      // Leaves between two runs, and never in one.
      yield* Effect.raceFirst(supervise(supervised, owned, turn), Effect.andThen(leave.await, turn.take(1)))
      looking.delete(owned.plugin)
    }).pipe(Effect.forkIn(scope))
    running.set(owned.plugin, { leave, fiber })
  })

  const end = (plugin: string) =>
    Effect.suspend(() => {
      const runningFeed = running.get(plugin)
      runningFeed?.leave.openUnsafe()
      return runningFeed === undefined ? Effect.void : Fiber.await(runningFeed.fiber)
    })

  return {
    states: Effect.sync(() => new Map(states)),
    lookAgain: (plugin, symbol) =>
      Effect.suspend(() => looking.get(plugin)?.(symbol) ?? Effect.undefined).pipe(
        Effect.provideContext(context)
      ),
    own: (feeds) =>
      Effect.forEach(
        feeds,
        (owned) => {
          const supervised = plugins.get(owned.plugin)
          return supervised === undefined ? Effect.void : start(supervised, owned)
        },
        { discard: true }
      ).pipe(Effect.provideContext(context)),
    disown: (ids) => Effect.forEach(ids, end, { concurrency: "unbounded", discard: true })
  } satisfies Supervisor
})

/** The request that a message names, as errors of `Upstream` do; else the last one that was answered. */
const requestOf = (message: string, exchanges: Delivery["run"]["exchanges"]): string => {
  const [, method, url] = /^(?:(GET|POST|LISTEN) )?((?:https|wss):\/\/\S+?): /.exec(message) ?? []
  const answered = url === undefined ? exchanges.at(-1) : exchanges.find((exchange) => exchange.url === url)
  if (url !== undefined) return `${method ?? answered?.method ?? "GET"} ${url}`
  return answered === undefined ? "none was answered" : `${answered.method} ${answered.url}`
}

/** What was refused, without the reasons: they hold figures that change with each run. */
const namesOf = (refused: Delivery["run"]["refused"]): string =>
  JSON.stringify([...new Set(refused.map(({ metric, symbol }) => `${symbol} ${metric}`))].sort())

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
  cadence_from: isoTime(runState.base),
  runs: runState.runs,
  failures: runState.failures
})

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))
