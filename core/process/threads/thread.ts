/** Work in a thread, so that the service goes on answering meanwhile. */
import { Worker } from "node:worker_threads"
import { type Duration, Effect, RcRef, Semaphore } from "effect"
import { guarded } from "../guarded.ts"
import { Worked } from "./Worked.ts"

/** What a thread says of a task. */
export type Outcome<Result> =
  | { readonly result: Result; readonly millis: number }
  | { readonly failed: string }

/** A task that took longer than it may: its thread is ended, and the next task gets a new one. */
export class TookTooLong extends Error {
  override readonly name = "TookTooLong"
}

/** How long a thread without work waits for more. */
const idle = "1 minute"

/** The outcome of one task comes before the next is sent. A thread that fails is a defect. */
const send = <Task, Result>(worker: Worker, title: string, task: Task) =>
  Effect.callback<Exclude<Outcome<Result>, { readonly failed: string }>>((resume) => {
    const end = () => worker.off("message", answered).off("error", failed).off("exit", ended)
    const answered = guarded(title, (outcome: Outcome<Result>) => {
      if ("failed" in outcome) return failed(outcome.failed)
      end()
      resume(Effect.succeed(outcome))
    })
    const failed = guarded(title, (error: unknown) => {
      end()
      resume(Effect.die(error))
    })
    const ended = (code: number) => failed(`the thread of ${title} ended with code ${code}`)
    // biome-ignore lint/plugin/callback: all three are guarded
    worker.on("message", answered).on("error", failed).on("exit", ended)
    worker.postMessage(task)
  })

/**
 * A thread that starts with its first task, works on one at a time, and ends after a minute without any. `module` calls
 * `perform` of `perform.ts`. What a task takes is charged to the caller of the current request. One that takes longer than
 * `longest` is a defect (`TookTooLong`); without it a task may take as long as it likes.
 */
export const makeThread = <Task, Result>(module: URL, title: string, longest?: Duration.Input) =>
  Effect.gen(function* () {
    const started = Effect.acquireRelease(
      Effect.sync(() => new Worker(module, { name: title })),
      // biome-ignore lint/plugin/promise: ends a thread of ours
      (worker) => Effect.promise(() => worker.terminate())
    )
    const thread = yield* RcRef.make({ acquire: started, idleTimeToLive: idle })
    const turn = yield* Semaphore.make(1)
    const work = Effect.fnUntraced(function* (task: Task) {
      const worker = yield* RcRef.get(thread)
      let isLate = false
      if (longest !== undefined) {
        // The task itself is not interrupted: its thread ends, and it fails of that.
        const end = Effect.sync(() => {
          isLate = true
          void worker.terminate()
        })
        yield* Effect.forkScoped(Effect.andThen(Effect.sleep(longest), end))
      }
      const { millis, result } = yield* send<Task, Result>(worker, title, task).pipe(
        Effect.onError(() => RcRef.invalidate(thread)),
        Effect.catchDefect((defect) =>
          Effect.die(isLate ? new TookTooLong(`${title} took longer than they may`) : defect)
        )
      )
      const time = yield* Worked
      time.millis += millis
      return result
    }, Effect.scoped)
    // A task that has begun is finished: what the thread says belongs to it.
    return (task: Task): Effect.Effect<Result> => turn.withPermits(1)(Effect.uninterruptible(work(task)))
  })
