/** Runs a plugin over stored bodies, one run after another: its code does not hold up the service. */
import { parentPort, workerData } from "node:worker_threads"
import { Effect } from "effect"
import { byName } from "../../core/plugin/Value.ts"
import * as Plugins from "../collector/plugins.ts"
import { watched } from "../collector/watch.ts"
import * as Replay from "../upstream/replay.ts"
import type { Again } from "./again.ts"

if (parentPort === null) throw new Error("again.thread.ts runs as a worker thread")
const port = parentPort
const plugin = await Effect.runPromise(Plugins.find(String(workerData)))

const derive = (tape: Replay.Tape): Promise<Again> =>
  Effect.runPromise(
    Plugins.patiently(
      "collect",
      Effect.provide(watched(plugin.manifest.id, plugin.collect), Replay.layer(tape), { local: true }),
      (message) => ({ _tag: "NotReturning", message })
    ).pipe(
      Effect.match({
        onFailure: ({ _tag, message }) => ({ error: { tag: _tag, message } }),
        onSuccess: ({ observations, refused }) => ({ observations: [...observations].sort(byName), refused })
      }),
      Effect.catchDefect((defect) => Effect.succeed({ error: { tag: "Defect", message: String(defect) } }))
    )
  )

port.on("message", (tape: Replay.Tape) => {
  void derive(tape).then((again) => port.postMessage(again))
})
