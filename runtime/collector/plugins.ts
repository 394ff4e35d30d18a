/** Every folder of `plugins/` is a plugin. There is no list to maintain. */
import { readdir } from "node:fs/promises"
import { Clock, Context, Duration, Effect, Option, Schema } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { type DiskError, onDisk } from "../outside/disk.ts"
import { folderFromElsewhere, outsidePlugins } from "./outside.ts"
import { watched } from "./watch.ts"

/** Whether plugins from elsewhere are run here, by their author, who is still writing them. */
export const Authoring = Context.Reference<boolean>("runtime/collector/Authoring", {
  defaultValue: () => false
})

/** The folder of all plugins. */
export const root = new URL("../../plugins/", import.meta.url)

/** How long the contributor's commands wait for code of a plugin that is still being written. */
export const Patience = Context.Reference<Duration.Duration>("runtime/collector/Patience", {
  defaultValue: () => Duration.seconds(30)
})

/** What they say then; `what` names the code that waits. */
export const notReturning = (what: string, after: Duration.Duration): string =>
  `index.ts does not return: ${what} still waits after ${Duration.toSeconds(after)} s for a promise or an Effect that never ends`

/**
 * The work, unless it still goes on after `Patience` of real time: what is replayed has another clock, which may leap.
 * `otherwise` makes the error of the message.
 */
export const patiently = <A, E, R, E2>(
  what: string,
  work: Effect.Effect<A, E, R>,
  otherwise: (message: string) => E2
): Effect.Effect<A, E | E2, R> =>
  Effect.flatMap(Patience, (after) =>
    Effect.raceFirst(
      work,
      Effect.sleep(after).pipe(
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()),
        Effect.andThen(Effect.suspend(() => Effect.fail(otherwise(notReturning(what, after)))))
      )
    )
  )

/** Names of the plugin folders, sorted. */
export const names = (from: URL = root): Effect.Effect<ReadonlyArray<string>, DiskError> =>
  onDisk(() => readdir(from, { withFileTypes: true })).pipe(
    Effect.map((entries) =>
      entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort()
    )
  )

/** Where in a plugin's files an error arose, e.g. `index.ts, line 3`; undefined if its stack names none of them. */
export const placeOf = (error: unknown): string | undefined => {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const [, file, line] = /\/plugins\/[^/\s]+\/([^:\s]+\.ts):(\d+)/.exec(stack) ?? []
  return file === undefined ? undefined : `${file}, line ${line}`
}

/** A folder whose index.ts is not a plugin. The message names the line if it is known. */
export class PluginBroken extends Schema.TaggedError<PluginBroken>()("PluginBroken", {
  message: Schema.String
}) {}

const isPlugin = (loaded: unknown): loaded is Plugin =>
  typeof loaded === "object" && loaded !== null && "manifest" in loaded && "collect" in loaded

/**
 * Imports the plugin of a folder that is still being written. A module is imported once, so another `edition` gives a new copy of its
 * index.ts, with a state of its own.
 */
export const read = (name: string, from: URL = root, edition = ""): Effect.Effect<Plugin, PluginBroken> =>
  patiently(
    "its import",
    watched(
      name,
      folderFromElsewhere(name) === undefined ? imported(name, from, edition) : written(name, edition)
    ),
    (message) => new PluginBroken({ message })
  ).pipe(
    Effect.flatMap((loaded) =>
      isPlugin(loaded)
        ? Effect.succeed(loaded)
        : Effect.fail(
            new PluginBroken({ message: "index.ts must have a default export made with Plugin.define" })
          )
    )
  )

const imported = (name: string, from: URL, edition: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = new URL(`${name}/index.ts`, from)
      file.search = edition
      return ((await import(file.href)) as { default?: unknown }).default
    },
    catch: (error) => {
      const message = error instanceof Error ? error.message : String(error)
      return new PluginBroken({ message: `${placeOf(error) ?? "index.ts"} cannot be imported: ${message}` })
    }
  })

const written = (name: string, edition: string) =>
  Effect.tryPromise({
    try: async () => {
      const { readFromElsewhere } = await import("./elsewhere.ts")
      return readFromElsewhere(folderOf(name), edition)
    },
    catch: (error) => new PluginBroken({ message: error instanceof Error ? error.message : String(error) })
  })

/** Where a plugin is. */
export const folderOf = (name: string, from: URL = root): URL =>
  folderFromElsewhere(name) ?? new URL(`${name}/`, from)

/** The plugins of all folders that are one; what is wrong with the others, their own check says. */
export const readable = Effect.fnUntraced(function* (from: URL = root) {
  const plugins = yield* Effect.forEach(yield* names(from), (name) => Effect.option(read(name, from)))
  return plugins.filter(Option.isSome).map(({ value }) => value)
})

/**
 * Imports one plugin. A folder without a default export is a defect. `imported` is called right after the plugin's own
 * code has run.
 */
export const load = (
  name: string,
  from: URL = root,
  imported: () => void = () => {}
): Effect.Effect<Plugin> =>
  Effect.promise(async () => {
    const elsewhere = folderFromElsewhere(name)
    if (elsewhere !== undefined) return (await import("./elsewhere.ts")).loadFromElsewhere(elsewhere)
    try {
      return ((await import(new URL(`${name}/index.ts`, from).href)) as { default: Plugin }).default
    } finally {
      imported()
    }
  })

/** All plugins, sorted by name. */
export const all = (from: URL = root): Effect.Effect<ReadonlyArray<Plugin>, DiskError> =>
  Effect.flatMap(names(from), (folders) =>
    Effect.forEach(folders, (name) => load(name, from), { concurrency: "unbounded" })
  )

/** A name without a folder in `plugins/`. */
export class PluginUnknown extends Schema.TaggedError<PluginUnknown>()("PluginUnknown", {
  message: Schema.String
}) {}

/** Names of the folders, and those of the plugins from elsewhere. */
export const allNames = (from: URL = root): Effect.Effect<ReadonlyArray<string>, DiskError> =>
  Effect.map(names(from), (own) => [...own, ...outsidePlugins().map(({ id }) => id)])

/** The plugins that a contributor's commands are about without a name: those of the repository, or the author's own. */
export const contributed = Effect.fnUntraced(function* (from: URL = root) {
  return (yield* Authoring) ? outsidePlugins().map(({ id }) => id) : yield* names(from)
})

/** The plugin of that name, or an error that lists the known names. */
export const find = Effect.fnUntraced(function* (name: string, from: URL = root) {
  if (folderFromElsewhere(name) !== undefined)
    return yield* Effect.catchDefect(load(name, from), (defect) =>
      Effect.fail(
        new PluginBroken({ message: `${name}: ${defect instanceof Error ? defect.message : String(defect)}` })
      )
    )
  const available = yield* names(from)
  if (!available.includes(name)) {
    return yield* new PluginUnknown({
      message: `unknown plugin ${name} (available: ${available.join(", ")})`
    })
  }
  return yield* Effect.mapError(
    read(name, from),
    ({ message }) => new PluginBroken({ message: `plugins/${name}/${message}` })
  )
})
