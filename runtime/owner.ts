/**
 * One process owns `DATA_DIR`: two on one embedded database lose rows without an error. The socket
 * `DATA_DIR/plumbline.sock` is the lock, and the way in for the operator's commands while a service runs: a client
 * sends one line `{"argv": […]}` and gets lines `{"out": text}` or `{"err": text}` and a last `{"exit": code}`.
 */
import { chmod, mkdir, rm, stat } from "node:fs/promises"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Schema, type Scope } from "effect"

export class DirectoryOwned extends Schema.TaggedError<DirectoryOwned>()("DirectoryOwned", {
  message: Schema.String
}) {}

/** What a running service sends back, line by line. */
type Line = { readonly out: string } | { readonly err: string } | { readonly exit: number }

/** Runs one command of an operator; what it prints goes to `print`. Gives the exit code. */
export type RunCommand = (
  argv: ReadonlyArray<string>,
  print: (line: { readonly out: string } | { readonly err: string }) => void
) => Promise<number>

const socketOf = (dataDir: string): string => join(dataDir, "plumbline.sock")

const dial = (path: string): Effect.Effect<Socket | undefined> =>
  Effect.callback((resume) => {
    const socket = connect(path)
    socket.once("connect", () => resume(Effect.succeed(socket)))
    socket.once("error", () => resume(Effect.succeed(undefined)))
  })

/** Longest line of a client: an operator's command, not a document. */
const longest = 64 * 1024

/**
 * Takes the directory for the life of the scope, or fails because another process has it. Commands wait until
 * `serve` is given what runs them.
 */
export const own = (
  dataDir: string
): Effect.Effect<{ readonly serve: (run: RunCommand) => void }, DirectoryOwned, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.promise(() => mkdir(dataDir, { recursive: true, mode: 0o700 }))
    const path = socketOf(dataDir)
    const other = yield* dial(path)
    if (other !== undefined) {
      other.destroy()
      return yield* new DirectoryOwned({
        message: `${dataDir} is in use by a running service; stop it, or set DATA_DIR to another folder`
      })
    }
    // Nobody answers there: what is left is of a process that was killed.
    yield* Effect.promise(() => rm(path, { force: true }))
    let ready: (run: RunCommand) => void = () => {}
    const runner = new Promise<RunCommand>((resolve) => {
      ready = resolve
    })
    yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>, DirectoryOwned>((resume) => {
        const server = createServer((socket) => answer(socket, runner))
        server.once("error", () =>
          resume(
            Effect.fail(new DirectoryOwned({ message: `${path} can not be bound; is its folder writable?` }))
          )
        )
        server.listen(path, () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
        })
    )
    yield* Effect.promise(() => chmod(path, 0o600))
    // Two that start over the same leftover could each remove the other's socket: the one that lost sees another file.
    const mine = yield* Effect.promise(() => stat(path))
    yield* Effect.sleep("50 millis")
    const there = yield* Effect.promise(() => stat(path).catch(() => undefined))
    if (there?.ino !== mine.ino) {
      return yield* new DirectoryOwned({
        message: `${dataDir} was taken by another process at the same moment`
      })
    }
    return { serve: ready }
  })

const answer = (socket: Socket, runner: Promise<RunCommand>): void => {
  socket.on("error", () => socket.destroy())
  const say = (line: Line) => {
    if (socket.writable) socket.write(`${JSON.stringify(line)}\n`)
  }
  let read = 0
  socket.on("data", (chunk) => {
    read += chunk.length
    if (read > longest) socket.destroy()
  })
  createInterface({ input: socket }).once("line", async (line) => {
    try {
      const { argv } = JSON.parse(line) as { argv: unknown }
      if (!Array.isArray(argv) || !argv.every((word) => typeof word === "string")) throw new Error("argv")
      say({ exit: await (await runner)(argv, say) })
    } catch {
      say({ err: "the running service did not understand the command" })
      say({ exit: 1 })
    }
    socket.end()
  })
}

/** Has a running service carry a command out and prints what it says; undefined when none runs in the directory. */
export const forward = (dataDir: string, argv: ReadonlyArray<string>): Effect.Effect<number | undefined> =>
  Effect.gen(function* () {
    const socket = yield* dial(socketOf(dataDir))
    if (socket === undefined) return undefined
    return yield* Effect.callback<number>((resume) => {
      let exit = 1
      createInterface({ input: socket })
        .on("line", (text) => {
          const line = JSON.parse(text) as Line
          if ("out" in line) process.stdout.write(line.out)
          else if ("err" in line) process.stderr.write(line.err)
          else exit = line.exit
        })
        .on("close", () => resume(Effect.succeed(exit)))
      socket.write(`${JSON.stringify({ argv })}\n`)
    })
  })
