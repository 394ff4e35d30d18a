/** Runs a plugin live and records every exchange, for a captured case. */
import { Clock, Duration, Effect, Redacted, Result } from "effect"
import { targetsOf } from "../../../core/catalog/Catalog.ts"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import { Upstream, type UpstreamError, UpstreamUnreachable } from "../../../core/plugin/Upstream.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { notReturning } from "../../collector/plugins.ts"
import { settingsOf } from "../../collector/run.ts"
import { watched } from "../../collector/watch.ts"
import { Egress } from "../../upstream/Egress.ts"
import * as Live from "../../upstream/live.ts"
import { parseMap, type UpstreamMap } from "../../upstream/map.ts"
import * as Recording from "../../upstream/recording.ts"
import type { Tape } from "../../upstream/replay.ts"
import { withoutProofs } from "../../upstream/withoutProofs.ts"

export interface Captured {
  readonly tape: Tape
  /** Why the run failed, if it did. Its exchanges are recorded anyway, to fix the plugin with. */
  readonly failure: UpstreamError | undefined
  readonly origin: "captured" | "written"
  readonly note: string
}

/** The environment of a run: keys that the manifest names, values of its settings, and stand-ins for hosts. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly map: UpstreamMap
  /** Catalog symbols to collect; undefined means all. */
  readonly only?: ReadonlySet<string> | undefined
}

/** What an environment holds for a plugin: the variables that are set, and among them its keys. */
export const surroundingsOf = (manifest: Manifest, environment: Surroundings["environment"]) => {
  const variables = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
  const keys = Object.fromEntries(
    Object.values(manifest.auth ?? {}).flatMap(({ setting }) => {
      const value = variables[setting]
      return value === undefined || value === "" ? [] : [[setting, Redacted.make(value)] as const]
    })
  )
  return { variables, keys }
}

/** How a recording came to be: answers of stand-ins are not captured. */
export const madeFrom = ({ exchanges, now }: Tape, map: UpstreamMap): Pick<Captured, "note" | "origin"> => {
  const hosts = [...new Set(exchanges.map(({ request }) => new URL(request.url).host))]
  return map.size === 0
    ? { origin: "captured", note: `Captured live at ${isoTime(now)} from ${hosts.join(", ")}` }
    : {
        origin: "written",
        note: `Answered by local stand-ins for ${hosts.filter((host) => map.has(host)).join(", ")} at ${isoTime(now)}`
      }
}

/** Runs the plugin once. The result contains no keys, and answers of stand-ins are not marked as captured. */
export const capture = Effect.fn("Kit.capture")(function* (
  plugin: Plugin,
  { environment, map, only }: Surroundings
) {
  const { manifest } = plugin
  const now = yield* Clock.currentTimeMillis
  const { variables, keys } = surroundingsOf(manifest, environment)
  const targets = targetsOf(manifest.covers).filter(({ symbol }) => only === undefined || only.has(symbol))
  const settings = settingsOf(manifest, variables)
  const limit = Duration.fromInputUnsafe(manifest.timeout ?? "1 minute")
  const { failure, exchanges } = yield* Effect.gen(function* () {
    const recorder = Recording.make(
      withoutProofs(yield* Live.make({ manifest, now, targets, settings, keys }))
    )
    const outcome = yield* Effect.result(
      watched(manifest.id, plugin.collect).pipe(
        Effect.provideService(Upstream, recorder.upstream),
        Effect.timeoutOrElse({
          duration: limit,
          orElse: () =>
            Effect.fail(
              new UpstreamUnreachable({
                request: `plugins/${manifest.id}`,
                detail: notReturning("collect", limit)
              })
            )
        })
      )
    )
    return {
      failure: Result.isFailure(outcome) ? outcome.failure : undefined,
      exchanges: recorder.exchanges()
    }
  }).pipe(Effect.provide(Egress.layer({ map })))
  const tape: Tape = { now, targets, settings, exchanges }
  const captured: Captured = { tape, failure, ...madeFrom(tape, map) }
  return captured
})

/** `capture` with the environment of this process. */
export const captureHere = Effect.fnUntraced(function* (plugin: Plugin, only: Surroundings["only"]) {
  // Not `Config`: the plugin decides which variables are read.
  const environment = process.env
  const map = yield* parseMap(environment["UPSTREAM_MAP"] ?? "")
  return yield* capture(plugin, { environment, map, only })
})
