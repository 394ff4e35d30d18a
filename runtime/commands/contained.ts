/** Before a plugin runs here: nothing of it may reach outside but through `Upstream`. */
import { Effect } from "effect"
import { UsageError } from "../cli/usage.ts"
import * as Plugins from "../collector/plugins.ts"
import { outsideReach } from "../contributor/check/source.ts"
import { sourcesOf } from "../contributor/check/sources.ts"

/**
 * The plugin of that name. One whose source reaches for the network, the process or a timer by itself is refused and
 * not even imported: what it fetched so would be in no recording.
 */
export const contained = Effect.fnUntraced(function* (name: string, from: URL = Plugins.root) {
  if ((yield* Plugins.names(from)).includes(name)) {
    const reach = outsideReach(yield* sourcesOf(new URL(`${name}/`, from)))
    if (reach !== undefined) {
      return yield* new UsageError({
        message: `plugins/${name}/${reach.file} reaches for ${reach.what}: ${reach.line}\n${reach.instead}`
      })
    }
  }
  return yield* Plugins.find(name, from)
})
