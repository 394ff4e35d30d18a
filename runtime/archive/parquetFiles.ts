/** `FileMaker` in a thread, which starts with the first file of a round and ends with the last. */
import { randomUUID } from "node:crypto"
import { mkdir, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { Effect, Layer, RcRef, Stream } from "effect"
import { ArchiveUnavailable } from "../../core/log/archive/ArchiveFiles.ts"
import { FileMaker, type FilePlan } from "../../core/log/archive/FileMaker.ts"
import { guarded } from "../../core/process/guarded.ts"
import type { FileRights } from "../../core/proof/archive.ts"
import type { FromThread, ToThread } from "./protocol.ts"

/** How long a thread without work waits for more. */
const idle = "20 seconds"

/** The thread's heap, in MiB: a row group as objects takes about 60. */
const heap = 256

const unavailable = (doing: string, error: unknown) =>
  new ArchiveUnavailable({
    message: `cannot ${doing}: ${error instanceof Error ? error.message : String(error)}`
  })

const onDisk = <A>(doing: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => unavailable(doing, error) })

/** The thread, ready for a message; the answer to one comes before the next is sent. */
const started = Effect.acquireRelease(
  Effect.sync(
    () =>
      new Worker(new URL("archive.thread.ts", import.meta.url), {
        name: "archive",
        resourceLimits: { maxOldGenerationSizeMb: heap }
      })
  ),
  (worker) => Effect.ignore(onDisk("end the archive thread", () => worker.terminate()))
)

const ask = (worker: Worker, message: ToThread) =>
  Effect.callback<FromThread, ArchiveUnavailable>((resume) => {
    const end = () => {
      worker.off("message", answered).off("error", failed).off("exit", ended)
    }
    const answered = guarded("the archive thread", (message: FromThread) => {
      end()
      resume(
        "failed" in message
          ? Effect.fail(unavailable("write an archive file", message.failed))
          : Effect.succeed(message)
      )
    })
    const failed = guarded("the archive thread", (error: unknown) => {
      end()
      resume(Effect.fail(unavailable("write an archive file", error)))
    })
    const ended = (code: number) => failed(`its thread ended with code ${code}`)
    // biome-ignore lint/plugin/callback: all three are guarded
    worker.on("message", answered).on("error", failed).on("exit", ended)
    worker.postMessage(message)
    return Effect.sync(end)
  })

/** Drafts are in `folder`, which is emptied first: what a killed process left there was not published. */
export const layer = (folder: string) =>
  Layer.effect(
    FileMaker,
    Effect.gen(function* () {
      const thread = yield* RcRef.make({ acquire: started, idleTimeToLive: idle })
      yield* Effect.ignore(onDisk(`empty ${folder}`, () => rm(folder, { recursive: true, force: true })))
      const written = Effect.fnUntraced(function* (
        path: string | undefined,
        { pages, statement }: FilePlan,
        rights: FileRights | null
      ) {
        const worker = yield* RcRef.get(thread)
        yield* ask(worker, { begin: { path, statement, rights } })
        yield* Stream.runForEach(pages, (leaves) => ask(worker, { leaves }))
        const response = yield* ask(worker, { finish: true })
        return "finished" in response
          ? response.finished
          : yield* Effect.die("the archive's thread did not finish")
      })
      return FileMaker.of({
        tally: Effect.fn("FileMaker.tally")(function* (plan) {
          return (yield* written(undefined, plan, null)).tally
        }),
        make: Effect.fn("FileMaker.make")(function* (plan, rights) {
          const path = join(folder, `${randomUUID()}.parquet`)
          yield* onDisk(`make ${folder}`, () => mkdir(folder, { recursive: true, mode: 0o700 }))
          yield* Effect.addFinalizer(() =>
            Effect.ignore(onDisk(`remove ${path}`, () => rm(path, { force: true })))
          )
          const { file: stored, tally } = yield* written(path, plan, rights)
          if (stored === undefined) return yield* Effect.die("the archive's thread wrote no file")
          const file = yield* Effect.acquireRelease(
            onDisk(`read ${path}`, () => open(path, "r")),
            (handle) => Effect.ignore(onDisk(`close ${path}`, () => handle.close()))
          )
          return {
            ...tally,
            ...stored,
            read: (from, to) =>
              onDisk(`read ${path}`, async () => {
                const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
                if (bytesRead !== to - from) throw new Error("it is shorter than it was")
                return buffer
              })
          }
        })
      })
    })
  )
