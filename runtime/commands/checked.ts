/** All that `plugin check` says of a plugin: the rules for its files and answers, and that of the demo. */
import { Effect, Result } from "effect"
import * as Plugins from "../collector/plugins.ts"
import { check, here, type Places } from "../contributor/check/check.ts"
import { outsideReach } from "../contributor/check/source.ts"
import { sourcesOf } from "../contributor/check/sources.ts"
import { otherTimesFindings } from "../tape/otherTimes.ts"

/** All findings for the plugin in the folder `name`; `strict` adds what the compiler and the linter say. */
export const checked = Effect.fn("Commands.checked")(function* (
  name: string,
  { strict = false }: { readonly strict?: boolean } = {},
  places: Places = here
) {
  const findings = yield* check(name, places, { strict })
  const plugin = yield* Effect.result(Plugins.read(name, places.plugins))
  if (Result.isFailure(plugin)) return findings
  // A replay must not reach outside.
  const reach = outsideReach(yield* sourcesOf(new URL(`${name}/`, places.plugins)))
  return reach === undefined
    ? [...findings, ...(yield* otherTimesFindings(plugin.success, places.fixtures))]
    : findings
})
