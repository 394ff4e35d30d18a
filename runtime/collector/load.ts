/** Loads plugins in the collector thread, one at a time. A broken plugin does not affect the others. */
import { Cause, Duration, Effect, Exit, Result, Schema } from "effect"
import { rivalsOf, sharedWith } from "../../core/catalog/writers.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import * as CodeHash from "./codeHash.ts"
import * as Plugins from "./plugins.ts"
import type { Supervised } from "./Supervisor.ts"

/** A folder that is not a valid plugin. */
export interface Broken {
  readonly plugin: string
  readonly reason: string
}

/** The fields that the supervisor and the thread protocol rely on; the compiler checks the rest of a manifest. */
const decodeShape = Schema.decodeUnknownExit(
  Schema.Struct({
    manifest: Schema.Struct({
      id: Schema.NonEmptyString,
      every: Schema.Union([Schema.String, Schema.Finite]),
      hosts: Schema.Array(Schema.String),
      covers: Schema.Record(Schema.String, Schema.Unknown),
      metrics: Schema.Record(Schema.String, Schema.Unknown)
    })
  })
)

const problemWith = (name: string, plugin: Plugin): string | undefined => {
  const shape = decodeShape(plugin)
  if (Exit.isFailure(shape)) return `not a plugin: ${String(Cause.squash(shape.cause)).slice(0, 300)}`
  if (plugin.manifest.id !== name) return `its id is ${plugin.manifest.id}, not the name of its folder`
  if (!Effect.isEffect(plugin.collect)) return "collect is not an Effect"
  const every = Result.try(() => Duration.toMillis(plugin.manifest.every))
  if (Result.isFailure(every) || !(every.success > 0)) return "every is not a positive duration"
  const copied = Result.try(() => structuredClone(plugin.manifest))
  return Result.isFailure(copied) ? "the manifest is not plain data" : undefined
}

export interface Around {
  /** Called with each name before its code runs for the first time. */
  readonly before: (name: string) => void
  /** Called as soon as that code has run. */
  readonly after: () => void
}

/** Imports the named plugins, in order. */
export const load = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  from: URL,
  { after, before }: Around
) {
  const plugins: Array<Plugin> = []
  const broken: Array<Broken> = []
  for (const name of names) {
    before(name)
    const exit = yield* Effect.exit(Plugins.load(name, from, after))
    const reason = Exit.isFailure(exit)
      ? `cannot be imported: ${String(Cause.squash(exit.cause)).slice(0, 300)}`
      : problemWith(name, exit.value)
    if (reason !== undefined) broken.push({ plugin: name, reason })
    else if (Exit.isSuccess(exit)) plugins.push(exit.value)
  }
  // None of them runs: nobody can say whose the series is, and the other plugins are not affected.
  const manifests = plugins.map(({ manifest }) => manifest)
  const alone = plugins.filter(({ manifest }) => {
    const [rival] = rivalsOf(manifest, manifests)
    if (rival !== undefined) broken.push({ plugin: manifest.id, reason: sharedWith(rival) })
    return rival === undefined
  })
  return { plugins: alone, broken }
})

/**
 * Plugins with the hashes of their code, read from disk. Apart from `load`, because the service answers as soon as it
 * knows the manifests, and only runs need the hashes.
 */
export const hashed = Effect.fnUntraced(function* (plugins: ReadonlyArray<Plugin>, from: URL) {
  // Keep only the hashes, not the bytes.
  const hashOf = ({ path, sha256 }: CodeHash.Source) => ({ path, sha256 })
  const shared = (yield* CodeHash.shared).map(hashOf)
  return yield* Effect.forEach(plugins, (plugin) =>
    Effect.map(CodeHash.own(plugin.manifest.id, from), (own): Supervised => {
      const sources = [...own.map(hashOf), ...shared]
      return { plugin, codeHash: (settings) => CodeHash.codeHash(sources, settings) }
    })
  )
})

/** A manifest that can be sent to another thread: durations become milliseconds, because their class would be lost. */
export const portable = (manifest: Manifest): Manifest => ({
  ...manifest,
  every: Duration.toMillis(manifest.every),
  ...(manifest.timeout === undefined ? {} : { timeout: Duration.toMillis(manifest.timeout) })
})
