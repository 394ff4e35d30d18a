/** One live run of a plugin with every exchange kept: the material of a captured case. */
import { Clock, Effect, Redacted, Result } from "effect"
import { targetsOf } from "../../../core/catalog/Catalog.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import { Upstream, type UpstreamError } from "../../../core/plugin/Upstream.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { settingsOf } from "../../collector/run.ts"
import { Egress } from "../../upstream/Egress.ts"
import * as Live from "../../upstream/live.ts"
import { parseMap, type UpstreamMap } from "../../upstream/map.ts"
import * as Recording from "../../upstream/recording.ts"
import type { Tape } from "../../upstream/replay.ts"

export interface Captured {
  readonly tape: Tape
  /** Why the run failed, where it did: its exchanges are kept all the same, to mend the plugin by. */
  readonly failure: UpstreamError | undefined
  readonly origin: "captured" | "written"
  readonly note: string
}

/** What the environment gives: keys that the manifest names, values of its settings, and stand-ins for hosts. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly map: UpstreamMap
  /** Symbols of the catalog to ask for; all where it is undefined. */
  readonly only?: ReadonlySet<string> | undefined
}

/** Runs the plugin once. No key is in what comes back; what a stand-in answered is not called captured. */
export const capture = Effect.fn("Kit.capture")(function* (
  plugin: Plugin,
  { environment, map, only }: Surroundings
) {
  const { manifest } = plugin
  const now = yield* Clock.currentTimeMillis
  const keys = Object.fromEntries(
    Object.values(manifest.auth ?? {}).flatMap(({ setting }) => {
      const value = environment[setting]
      return value === undefined || value === "" ? [] : [[setting, Redacted.make(value)] as const]
    })
  )
  const given = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
  const targets = targetsOf(manifest.covers).filter(({ symbol }) => only === undefined || only.has(symbol))
  const settings = settingsOf(manifest, given)
  const { failure, exchanges } = yield* Effect.gen(function* () {
    const recorder = Recording.make(yield* Live.make({ manifest, now, targets, settings, keys }))
    const outcome = yield* Effect.result(
      plugin.collect.pipe(Effect.provideService(Upstream, recorder.upstream))
    )
    return {
      failure: Result.isFailure(outcome) ? outcome.failure : undefined,
      exchanges: recorder.exchanges()
    }
  }).pipe(Effect.provide(Egress.layer({ map })))
  const hosts = [...new Set(exchanges.map(({ request }) => new URL(request.url).host))]
  const captured: Captured = {
    tape: { now, targets, settings, exchanges },
    failure,
    origin: map.size === 0 ? "captured" : "written",
    note:
      map.size === 0
        ? `Captured live at ${isoTime(now)} from ${hosts.join(", ")}`
        : `Answered by local stand-ins for ${[...map.keys()].join(", ")} at ${isoTime(now)}`
  }
  return captured
})

/** The same with the environment of this process. */
export const captureHere = Effect.fnUntraced(function* (plugin: Plugin, only: Surroundings["only"]) {
  const environment = process.env
  const map = yield* parseMap(environment["UPSTREAM_MAP"] ?? "")
  return yield* capture(plugin, { environment, map, only })
})
