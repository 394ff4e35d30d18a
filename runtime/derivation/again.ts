/** A plugin's code of today over the stored bodies of its runs, in a thread of its own. */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { Refusal } from "../../core/plugin/Plugin.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { guarded } from "../../core/process/guarded.ts"
import type { Tape } from "../upstream/replay.ts"

/** What today's code gives for the bodies of a run. */
export type Again =
  | { readonly observations: ReadonlyArray<Observation>; readonly refused: ReadonlyArray<Refusal> }
  | { readonly error: { readonly tag: string; readonly message: string } }

/** Starts the thread of a plugin; it ends with the scope. */
export const start = (plugin: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Worker(new URL("again.thread.ts", import.meta.url), { workerData: plugin })),
      // biome-ignore lint/plugin/promise: ends a thread of ours
      (worker) => Effect.promise(() => worker.terminate())
    ),
    (worker) =>
      /** One at a time: the thread answers in order. A thread that ends is a defect. */
      (tape: Tape): Effect.Effect<Again> =>
        Effect.callback((resume) => {
          const end = () => worker.off("message", answered).off("error", failed).off("exit", ended)
          const answered = guarded("the thread of derivations", (again: Again) => {
            end()
            resume(Effect.succeed(again))
          })
          const failed = guarded("the thread of derivations", (error: unknown) => {
            end()
            resume(Effect.die(error))
          })
          const ended = (code: number) => failed(`the thread of derivations ended with code ${code}`)
          // biome-ignore lint/plugin/callback: all three are guarded
          worker.on("message", answered).on("error", failed).on("exit", ended)
          worker.postMessage(tape)
        })
  )
