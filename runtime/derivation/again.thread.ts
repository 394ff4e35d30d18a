/** The thread that runs plugins over stored bodies. */
import { Effect } from "effect"
import { byName } from "../../core/plugin/Value.ts"
import { perform } from "../../core/process/threads/perform.ts"
import * as Plugins from "../collector/plugins.ts"
import { watched } from "../collector/watch.ts"
import * as Replay from "../upstream/replay.ts"
import type { Again, Recorded } from "./again.ts"

const derive = Effect.fnUntraced(function* ({ plugin, tape }: Recorded) {
  const { collect, manifest } = yield* Plugins.find(plugin)
  return yield* Plugins.patiently(
    "collect",
    Effect.provide(watched(manifest.id, collect), Replay.layer(tape), { local: true }),
    (message) => ({ _tag: "NotReturning", message })
  ).pipe(
    Effect.match({
      onFailure: ({ _tag, message }): Again => ({ error: { tag: _tag, message } }),
      onSuccess: ({ observations, refused }): Again => ({
        observations: [...observations].sort(byName),
        refused
      })
    }),
    Effect.catchDefect((defect) =>
      Effect.succeed<Again>({ error: { tag: "Defect", message: String(defect) } })
    )
  )
})

perform("derivations", (recorded: Recorded) => Effect.runPromise(derive(recorded)))
