/** The check before a plugin runs on this machine: it may reach outside only through `Upstream`. */
import { Effect } from "effect"
import { UsageError } from "../cli/usage.ts"
import { outsidePlugins } from "../collector/outside.ts"
import * as Plugins from "../collector/plugins.ts"
import { outsideReach } from "../contributor/check/source.ts"
import { sourcesOf } from "../contributor/check/sources.ts"

/**
 * Finds the plugin of that name. A plugin whose source uses the network, the process or a timer directly is refused
 * before it is imported, because no recording would contain what it fetched.
 */
export const contained = Effect.fnUntraced(function* (name: string, from: URL = Plugins.root) {
  const available = [...(yield* Plugins.contributed(from)), ...outsidePlugins().map(({ id }) => id)]
  if (available.includes(name)) {
    const reach = outsideReach(yield* sourcesOf(Plugins.folderOf(name, from)))
    if (reach !== undefined) {
      return yield* new UsageError({
        message: `plugins/${name}/${reach.file} uses ${reach.what} directly: ${reach.line}\n${reach.instead}`
      })
    }
  }
  return yield* (yield* Plugins.Authoring) ? Plugins.read(name, from) : Plugins.find(name, from)
})
