/**
 * Runs a command within bounds of memory and time, in a process of its own: a file or a server that needs more of them is not
 * proved, where the process would end without a verdict. (A thread would not do: what parses a long text cannot be stopped in it, and
 * takes the whole process with it.)
 */
import { fork } from "node:child_process"
import { minute } from "../../../../../core/proof/time.ts"

/** What marks the process of a command. */
const marker = "PLUMBLINE_VERIFY_BOUNDED"

/** What that process says: a line of the answer, a line of what is under way, or its exit code. */
type Message = { readonly line: string } | { readonly progress: string } | { readonly exit: number }

export interface Bounds {
  /** MiB of the heap. */
  readonly memory: number
  readonly minutes: number
}

/** What the command is given in its process. */
export interface Bounded {
  readonly print: (line: string) => void
  readonly progress: (line: string) => void
}

/** True in the process of a command. */
export const isBounded = process.send !== undefined && process.env[marker] === "1"

/** That process's side. */
export const serveBounded = async (run: (bounded: Bounded) => Promise<number>): Promise<void> => {
  const say = (message: Message) =>
    new Promise<void>((done) => {
      if (process.send === undefined) done()
      else process.send(message, undefined, undefined, () => done())
    })
  // Nobody reads a verdict any more.
  const alone = () => process.exit(2)
  process.once("disconnect", alone)
  const exit = await run({
    print: (line) => void say({ line }),
    progress: (progress) => void say({ progress })
  })
  await say({ exit })
  process.off("disconnect", alone)
  process.disconnect?.()
}

/** Starts the process with the module `entry`, which calls `serveBounded`. `broken` says why there is no verdict, and gives the exit code. */
export const runBounded = (
  entry: URL,
  args: ReadonlyArray<string>,
  bounds: Bounds,
  print: (line: string) => void,
  broken: (why: string) => number
): Promise<number> =>
  new Promise((done) => {
    const { memory, minutes } = bounds
    const child = fork(entry, [...args], {
      execArgv: [...process.execArgv, `--max-old-space-size=${memory}`],
      env: { ...process.env, [marker]: "1" },
      // What a runtime says of its own end is for nobody.
      stdio: ["inherit", "ignore", "ignore", "ipc"]
    })
    const { stderr } = process
    let signalled: NodeJS.Signals | undefined
    const stop = (signal: NodeJS.Signals) => {
      signalled = signal
      child.kill(signal)
    }
    let isOver = false
    const end = (verdict: () => number) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      process.off("SIGINT", stop).off("SIGTERM", stop)
      done(verdict())
    }
    const late = () => {
      end(() => broken(`it took longer than ${minutes} minutes; --minutes allows more`))
      child.kill("SIGKILL")
    }
    const timer = setTimeout(late, minutes * minute)
    process.on("SIGINT", stop).on("SIGTERM", stop)
    child.on("message", (message: Message) => {
      if (isOver) return
      if ("line" in message) print(message.line)
      else if ("exit" in message) end(() => message.exit)
      else if (stderr.isTTY) stderr.write(`\r\u001b[K${message.progress}`)
    })
    child.once("error", (error) => end(() => broken(`the verifier cannot be started: ${error.message}`)))
    // Emitted once everything that it said was read.
    child.once("close", (code, signal) =>
      end(() =>
        broken(
          signalled !== undefined
            ? "it was told to stop"
            : signal === "SIGABRT" || code === 134
              ? `it needs more than ${memory} MiB of memory; --memory allows more`
              : `the verifier ended without a verdict (${signal ?? `exit ${code}`})`
        )
      )
    )
  })
