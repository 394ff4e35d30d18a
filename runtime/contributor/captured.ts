/** Captured cases: real answers of an upstream, as a contributor or an operator recorded them once they had looked at them. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import * as Fixtures from "./fixtures.ts"
import { derived } from "./rows.ts"

/** Where an operator's captured cases are, in the folder of the service's data: a release brings a new folder of the others. */
export const capturedIn = (dataDir: string): string => join(dataDir, "captured")

/** The series that rows are of, each with its unit. */
const seriesIn = (rows: Expected): ReadonlySet<string> =>
  new Set(
    "error" in rows
      ? []
      : rows.observations.map(({ metric, source, symbol, unit }) => [symbol, metric, source, unit].join(" "))
  )

const isRead = Effect.fnUntraced(
  function* (plugin: Plugin, place: string) {
    const { tape } = yield* Fixtures.load(place)
    const before = seriesIn(yield* Fixtures.expected(place))
    return before.size > 0 && before.isSubsetOf(seriesIn(yield* derived(plugin, tape)))
  },
  // A case that cannot be read, and code that cannot read it, show nothing.
  Effect.orElseSucceed(() => false)
)

/**
 * Whether its code gives every series of each captured answer of the plugin in these folders; undefined without one. A case in
 * an earlier folder goes before one of its name in a later one.
 */
export const readsCaptured = Effect.fnUntraced(function* (plugin: Plugin, folders: ReadonlyArray<string>) {
  const { id } = plugin.manifest
  const places = new Map<string, string>()
  for (const folder of folders) {
    for (const name of yield* Fixtures.casesOf(id, folder)) {
      const place = join(folder, id, name)
      if (!places.has(name) && (yield* Fixtures.origin(place)) === "captured") places.set(name, place)
    }
  }
  if (places.size === 0) return undefined
  const read = yield* Effect.forEach(places.values(), (place) => isRead(plugin, place))
  return read.every(Boolean)
})
