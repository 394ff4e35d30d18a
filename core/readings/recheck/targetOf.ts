/** What of a plugin a run needs to ask for to give a series again. */
import { Effect } from "effect"
import { targetsOf } from "../../catalog/Catalog.ts"
import { Feeds } from "../Feeds.ts"
import type { CurrentRow } from "../read/Current.ts"

/** The symbol of the target that gives a series; null where the plugin has none of its own for it: then it asks for all. */
export const targetOf = Effect.fnUntraced(function* ({ plugin, row }: CurrentRow) {
  const { manifests } = yield* Feeds
  const manifest = manifests.find(({ id }) => id === plugin)
  const targets = manifest === undefined ? [] : targetsOf(manifest.covers)
  return targets.some(({ symbol }) => symbol === row.symbol) ? row.symbol : null
})
