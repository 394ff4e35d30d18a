/** The thread's side of `thread.ts`. */
import { parentPort } from "node:worker_threads"
import { guarded } from "../../core/process/guarded.ts"
import type { Outcome } from "./thread.ts"

/** Performs the tasks that come to this thread, one after the other. */
export const perform = <Task, Result>(title: string, work: (task: Task) => Result): void => {
  if (parentPort === null) throw new Error(`${title} runs in a worker thread`)
  const port = parentPort
  const outcomeOf = (task: Task): Outcome<Result> => {
    const began = performance.now()
    try {
      const result = work(task)
      return { result, millis: performance.now() - began }
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) }
    }
  }
  port.on(
    "message",
    guarded(title, (task: Task) => port.postMessage(outcomeOf(task)))
  )
}
