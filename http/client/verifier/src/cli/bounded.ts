/**
 * Runs a command within bounds of memory and time, in a thread of its own: a file or a server that needs more of them is not proved,
 * where the process would end without a verdict.
 */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"

/** What marks the thread of a command. */
const mark = "plumbline verify"

/** What a thread says: a line of the answer, a line of what is under way, or its exit code. */
type Said = { readonly line: string } | { readonly progress: string } | { readonly exit: number }

export interface Bounds {
  /** MiB of the thread's heap. */
  readonly memory: number
  /** Minutes; undefined for a command that watches until it is told to stop. */
  readonly minutes: number | undefined
}

/** What the command's thread is given. */
export interface Bounded {
  readonly print: (line: string) => void
  readonly progress: (line: string) => void
  /** Aborted when the process is told to stop. */
  readonly stopped: AbortSignal
}

/** True in the thread of a command. */
export const isBounded = !isMainThread && workerData === mark

/** The thread's side. */
export const serveBounded = async (run: (bounded: Bounded) => Promise<number>): Promise<void> => {
  const port = parentPort
  if (port === null) return
  const say = (said: Said) => port.postMessage(said)
  const stop = new AbortController()
  port.once("message", () => stop.abort())
  const exit = await run({
    print: (line) => say({ line }),
    progress: (progress) => say({ progress }),
    stopped: stop.signal
  })
  say({ exit })
  port.close()
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"

/** Starts the thread with the module `entry`, which calls `serveBounded`. `broken` says why there is no verdict, and gives the exit code. */
export const runBounded = (
  entry: URL,
  args: ReadonlyArray<string>,
  bounds: Bounds,
  print: (line: string) => void,
  broken: (why: string) => number
): Promise<number> =>
  new Promise((done) => {
    const { memory, minutes } = bounds
    const worker = new Worker(entry, {
      argv: [...args],
      workerData: mark,
      resourceLimits: { maxOldGenerationSizeMb: memory }
    })
    let isOver = false
    const { stderr } = process
    const stop = () => worker.postMessage("stop")
    process.once("SIGINT", stop).once("SIGTERM", stop)
    const timer =
      minutes === undefined
        ? undefined
        : setTimeout(
            () => end(() => broken(`it took longer than ${minutes} minutes; --minutes allows more`)),
            minutes * 60_000
          )
    const end = (verdict: () => number) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      process.off("SIGINT", stop).off("SIGTERM", stop)
      const exit = verdict()
      void worker.terminate().then(() => done(exit))
    }
    worker.on("message", (said: Said) => {
      if (isOver) return
      if ("line" in said) print(said.line)
      else if ("exit" in said) end(() => said.exit)
      else if (stderr.isTTY) stderr.write(`\r\u001b[K${said.progress}`)
    })
    worker.once("error", (error: unknown) =>
      end(() =>
        broken(
          isOutOfMemory(error)
            ? `it needs more than ${memory} MiB of memory; --memory allows more`
            : `the verifier failed: ${error instanceof Error ? error.message : error}`
        )
      )
    )
    worker.once("exit", () => end(() => broken("the verifier ended without a verdict")))
  })
