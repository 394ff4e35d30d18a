import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { pluginName, targets } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import { captureHere } from "../contributor/kit/capture.ts"
import { derived, ingestible, table } from "../contributor/rows.ts"
import { contained } from "./contained.ts"

/** `plumbline collect`: runs a plugin once against its live upstream and shows the rows. Nothing is stored. */
export const collect = Command.make(
  "collect",
  {
    plugin: pluginName,
    targets,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print all rows and refusals as JSON"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ json, plugin: name, targets }) {
    const plugin = yield* contained(name)
    const { failure, tape } = yield* captureHere(plugin, Option.getOrUndefined(targets))
    if (failure !== undefined) {
      return yield* new UsageError({ message: `the run failed: ${failure._tag}: ${failure.message}` })
    }
    const rows = ingestible(plugin.manifest, yield* derived(plugin, tape))
    yield* Console.log(json ? JSON.stringify(rows, null, 2) : table(rows))
  })
).pipe(
  Command.withDescription("Run one plugin once against its upstream and show the rows, without storing them")
)
