/** Runs a plugin once, within limits, and returns the result as plain data. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { zstdCompress, zstdCompressSync } from "node:zlib"
import {
  type Cause,
  Clock,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Option,
  References,
  Schema
} from "effect"
import { SecureRandom } from "effect/crypto"
import { targetsOf } from "../../core/catalog/Catalog.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { type Collected, type Plugin, Refusal } from "../../core/plugin/Plugin.ts"
import { type Exchange, Upstream } from "../../core/plugin/Upstream.ts"
import { byName, isoTime, Observation } from "../../core/plugin/Value.ts"
import type { DrawnRun } from "../../core/proof/lot.ts"
import type { Delivery, RunExchange, RunResult } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import { shapesOf } from "../../core/readings/ingest/shapes/addresses.ts"
import type { NotarisedRun } from "../notaries/Notaries.ts"
import type { Run } from "../upstream/live.ts"
import * as Recording from "../upstream/recording.ts"
import { budgeted } from "./budgeted.ts"
import { folderFromElsewhere } from "./outside.ts"
import * as RunIds from "./runIds.ts"
import type { RunLimits } from "./runLimits.ts"

/**
 * Why a run failed, as stored in `RunResult`. The tag is one of `UpstreamError`, or `RunTimeout`, `RunFlooded`,
 * `RunNonsense` (`collect` did not return a `Collected`), `RunForbidden` (code from elsewhere went beyond its manifest), `CanaryMoved`, `RunInterrupted`, `Defect`, or `Failure` for any other error.
 */
export type Failure = NonNullable<RunResult["error"]>

export interface RunOptions {
  readonly plugin: Plugin
  readonly codeHash: string
  readonly settings: Readonly<Record<string, string>>
  readonly keys: Run["keys"]
  readonly limits: RunLimits
  /** The id of the plugin's last run; this one's sorts after it. */
  readonly last?: string | undefined
  /** When it was to begin, in epoch milliseconds; undefined where no schedule asked for it. */
  readonly due?: number
  /** Present where the run looks again: at the target with this symbol, or without one at all of them. */
  readonly recheck?: { readonly symbol?: string | undefined }
  /** Which form of `Upstream` the run gets. */
  readonly upstream: (run: Run) => Effect.Effect<Upstream["Service"]>
  /** Draws the notary of the run. Default: none. */
  readonly notarised?: (run: DrawnRun) => NotarisedRun | undefined
  /** Why the source must not be believed now; asked before the plugin's own code runs, and not recorded. */
  readonly canary?: Effect.Effect<string | undefined, never, Upstream>
  /** Wraps the plugin's own code. The thread uses it to name the plugin while that code runs. */
  readonly around?: <A, E, R>(collect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * The environment variable of a plugin's setting: `BITTENSOR_RPC_URL` for `rpc_url` of `bittensor`. That of a plugin from elsewhere
 * begins with `PLUGIN_`, so that none can name a variable of the service's own.
 */
export const variableOf = (plugin: string, setting: string): string =>
  `${folderFromElsewhere(plugin) === undefined ? "" : "plugin_"}${plugin}_${setting}`
    .toUpperCase()
    .replaceAll("-", "_")

/** The variables that can be settings of these plugins. Other secrets are kept out of the plugins' thread. */
export const settingsIn = (
  environment: Readonly<Record<string, string | undefined>>,
  plugins: ReadonlyArray<string>,
  keys: ReadonlySet<string>
): Readonly<Record<string, string>> => {
  const prefixes = plugins.map((plugin) => variableOf(plugin, ""))
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value && !keys.has(name) && prefixes.some((prefix) => name.startsWith(prefix)) ? [[name, value]] : []
    )
  )
}

/** The declared settings, with the operator's values where set. `values` is keyed by environment variable. */
export const settingsOf = (
  manifest: Manifest,
  values: Readonly<Record<string, string>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(manifest.settings ?? {}).map(([name, value]) => [
      name,
      values[variableOf(manifest.id, name)] ?? value
    ])
  )

/** A run with what a notary will state of it, which the run does not wait for. */
export interface Ran extends Delivery {
  /** To be asked for at once, since a notary soon forgets; absent of a run without a notary. */
  readonly notes?: Effect.Effect<RunNotes | undefined>
}

/** Runs once. Never fails: problems are reported in the run's `error`. */
export const runOnce = Effect.fnUntraced(function* (options: RunOptions) {
  const { codeHash, keys, limits, plugin, settings } = options
  const { manifest } = plugin
  const random = yield* SecureRandom.SecureRandom
  const id = RunIds.after(options.last, yield* random.uuidV7())
  const now = yield* Clock.currentTimeMillis
  const only = options.recheck?.symbol
  const targets = targetsOf(manifest.covers).filter(({ symbol }) => only === undefined || symbol === only)
  const targetsText = Buffer.from(JSON.stringify(targets))
  const targets_sha256 = sha256(targetsText)
  const due = options.due === undefined ? {} : { due: isoTime(options.due) }
  const notarised = options.notarised?.({ id, plugin: manifest.id, ...due })
  const carrier = notarised === undefined ? {} : { carrier: notarised.carrier }
  const upstream = yield* options.upstream({ manifest, now, targets, settings, keys, ...carrier })
  const recorder = Recording.make(upstream)
  const moved = yield* Effect.provideService(options.canary ?? Effect.undefined, Upstream, upstream)
  const outcome =
    moved === undefined
      ? yield* isolated(plugin, recorder.upstream, limits, options.around ?? ((collect) => collect))
      : failure("CanaryMoved", moved)
  const exchanges = recorder.exchanges()
  const bodies = new Map<string, Uint8Array>([[targets_sha256, yield* packed(targetsText)]])
  for (const { body, sha256 } of exchanges) {
    if (!bodies.has(sha256)) bodies.set(sha256, yield* packed(body))
  }
  const run: RunResult = {
    id,
    plugin: manifest.id,
    ...due,
    started: isoTime(now),
    // A clock that was set back meanwhile makes no run end before it began.
    finished: isoTime(Math.max(now, yield* Clock.currentTimeMillis)),
    now: isoTime(now),
    code_hash: codeHash,
    targets_sha256,
    settings,
    exchanges: exchanges.map(withoutBody),
    ...(notarised === undefined ? {} : { lot: notarised.lot }),
    ...(options.recheck === undefined ? {} : { recheck: true }),
    ...("error" in outcome
      ? { status: "failed", error: outcome.error, observations: [], refused: [] }
      : {
          status: "ok",
          observations: [...outcome.collected.observations].sort(byName),
          refused: outcome.collected.refused
        })
  }
  const ran: Ran = {
    run,
    bodies,
    shapes: shapesOf(exchanges),
    ...(notarised === undefined ? {} : { notes: notarised.notes(run) })
  }
  return ran
})

type Outcome = { readonly collected: Collected } | { readonly error: Failure }

/**
 * Runs the plugin in its own fiber until it ends, floods, or reaches the time limit. A fiber that cannot be interrupted is
 * left behind.
 */
const isolated = Effect.fnUntraced(function* (
  plugin: Plugin,
  upstream: Upstream["Service"],
  limits: RunLimits,
  around: NonNullable<RunOptions["around"]>
) {
  const flooded = yield* Deferred.make<string>()
  const budget = budgeted(upstream, limits, (why) => Deferred.doneUnsafe(flooded, Effect.succeed(why)))
  const limit = Duration.fromInputUnsafe(plugin.manifest.timeout ?? limits.timeout)
  const fiber = yield* Effect.suspend(() => plugin.collect).pipe(
    Effect.provideService(Upstream, budget.upstream),
    around,
    // Plugins report through their error; their log output could flood.
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.forkDetach
  )
  const first = yield* Effect.raceFirst(
    Effect.map(Fiber.await(fiber), (exit) => outcomeOf(exit, limits)),
    Effect.map(Deferred.await(flooded), (why): Outcome => failure("RunFlooded", why))
  ).pipe(
    Effect.timeoutOption(limit),
    Effect.ensuring(
      Effect.sync(() => {
        budget.close()
        fiber.interruptUnsafe()
      })
    )
  )
  return Option.getOrElse(
    first,
    (): Outcome => failure("RunTimeout", `the run did not finish within ${Duration.format(limit)}`)
  )
})

const failure = (tag: string, message: string): Outcome => ({
  error: { tag, message: message.slice(0, 500) }
})

/** Checks only the shape. `Plugin.define` checks what the plugin may return. */
const decodeCollected = Schema.decodeUnknownExit(
  Schema.Struct({ observations: Schema.Array(Observation), refused: Schema.Array(Refusal) })
)

const outcomeOf = (exit: Exit.Exit<unknown, unknown>, limits: RunLimits): Outcome => {
  if (Exit.isFailure(exit)) return { error: errorOf(exit.cause) }
  const { value } = exit
  const rows = countOf(value, "observations")
  if (rows > limits.rows) return failure("RunFlooded", `more than ${limits.rows} rows`)
  if (countOf(value, "refused") > limits.refusals) {
    return failure("RunFlooded", `more than ${limits.refusals} refused readings`)
  }
  const collected = decodeCollected(value)
  return Exit.isSuccess(collected)
    ? { collected: collected.value }
    : failure("RunNonsense", errorOf(collected.cause).message)
}

const countOf = (value: unknown, list: string): number => {
  const member: unknown = Object(value)[list]
  return Array.isArray(member) ? member.length : 0
}

const errorOf = (cause: Cause.Cause<unknown>): Failure => {
  const [reason] = cause.reasons.filter((reason) => reason._tag !== "Interrupt")
  if (reason === undefined) return { tag: "RunInterrupted", message: "the run interrupted itself" }
  const error: unknown = reason._tag === "Fail" ? reason.error : reason.defect
  const tag = reason._tag === "Die" ? "Defect" : tagOf(error)
  const message = error instanceof Error ? error.message : String(error)
  return { tag, message: message.slice(0, 500) }
}

const tagOf = (error: unknown): string => {
  const tag: unknown = Object(error)["_tag"]
  return typeof tag === "string" ? tag.slice(0, 100) : "Failure"
}

const withoutBody = (exchange: Exchange, n: number): RunExchange => ({
  n,
  method: exchange.request.method,
  url: exchange.request.url,
  ...(exchange.request.body === undefined ? {} : { request_body: exchange.request.body }),
  at: isoTime(exchange.at),
  status: exchange.status,
  headers: exchange.headers,
  sha256: exchange.sha256,
  size: exchange.body.length,
  confirmed: exchange.confirmed === true
})

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const compress = promisify(zstdCompress)

/** Compresses into its own memory, which can move to another thread. Small bodies are compressed synchronously. */
const packed = (body: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.map(
    body.length < 64 * 1024
      ? Effect.sync(() => zstdCompressSync(body))
      : // biome-ignore lint/plugin/promise: compresses in memory
        Effect.promise(() => compress(body)),
    (bytes) => new Uint8Array(bytes)
  )
