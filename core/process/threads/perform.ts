/** The thread's side of `thread.ts`. */
import { parentPort } from "node:worker_threads"
import { guarded } from "../guarded.ts"
import type { Outcome } from "./thread.ts"

const outcomeOf = async <Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
  task: Task
): Promise<Outcome<Result>> => {
  const began = performance.now()
  try {
    const result = await work(task)
    return { result, millis: performance.now() - began }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

/** Performs the tasks that come to this thread: `thread.ts` sends the next when it has the outcome of the last. */
export const perform = <Task, Result>(
  title: string,
  work: (task: Task) => Result | Promise<Result>
): void => {
  if (parentPort === null) throw new Error(`${title} runs in a worker thread`)
  const port = parentPort
  port.on(
    "message",
    guarded(title, async (task: Task) => port.postMessage(await outcomeOf(work, task)))
  )
}
