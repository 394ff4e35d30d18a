/**
 * Ends this process when code of a plugin keeps its thread and never returns, as `while (true) {}` does: nothing in the thread
 * itself can. For the contributor's commands and the tests, which run plugins in their own thread; the service has another
 * way, which survives (`thread.ts`).
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { guarded } from "../../core/process/guarded.ts"

/** How long code of a plugin may keep its thread. */
const most = 30_000

interface Watch {
  readonly worker: Worker
  /** Turns of this thread's loop and pieces of plugins' code begun, both signs of life; and how many pieces are running. */
  readonly state: Int32Array
}

let begun: Watch | undefined

const begin = (after: number): Watch => {
  const state = new Int32Array(new SharedArrayBuffer(8))
  // biome-ignore lint/plugin/loop: counts in shared memory
  setInterval(
    guarded("counting turns", () => Atomics.add(state, 0, 1)),
    after / 15
  ).unref()
  const worker = new Worker(new URL("watch.thread.ts", import.meta.url), {
    name: "watch",
    workerData: { after, state }
  })
  worker.unref()
  return { worker, state }
}

/** Watches while the code of a plugin runs. */
export const watched = <A, E, R>(
  plugin: string,
  work: Effect.Effect<A, E, R>,
  after = most
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      begun ??= begin(after)
      begun.worker.postMessage(plugin)
      Atomics.add(begun.state, 1, 1)
      // Short pieces one after the other can keep a loop from turning, as the replays of a test do: none of them hangs.
      Atomics.add(begun.state, 0, 1)
      return begun.state
    }),
    () => work,
    (state) => Effect.sync(() => Atomics.sub(state, 1, 1))
  )
