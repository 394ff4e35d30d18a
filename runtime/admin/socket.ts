/**
 * One process owns `DATA_DIR`: two on one embedded database lose rows without an error. The socket
 * `DATA_DIR/plumbline.sock` is the lock, and the way in for the operator's commands while a service runs: a client
 * sends one line `{"argv": […]}` and gets lines `{"out": text}` or `{"err": text}` and a last `{"exit": code}`.
 */
import { randomUUID } from "node:crypto"
import { chmod, link, mkdir, rename, rm } from "node:fs/promises"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Schema, type Scope } from "effect"

/** A data directory that cannot be used: its disk refuses, or its socket cannot be made. The message is one line. */
export class DirectoryUnusable extends Schema.TaggedError<DirectoryUnusable>()("DirectoryUnusable", {
  message: Schema.String
}) {}

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

const attempt = <A>(dataDir: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new DirectoryUnusable({
        message: `${dataDir} cannot be used as the data directory: ${error instanceof Error ? error.message : String(error)}`
      })
  })

/** Longest line of a client: an operator's command, not a document. */
const longest = 64 * 1024

/**
 * Takes the directory for the life of the scope, or fails because another process has it. Commands wait until
 * `serve` is given what runs them.
 */
export const own = (
  dataDir: string
): Effect.Effect<
  { readonly serve: (run: RunCommand) => void },
  DirectoryOwned | DirectoryUnusable,
  Scope.Scope
> =>
  Effect.gen(function* () {
    yield* attempt(dataDir, () => mkdir(dataDir, { recursive: true, mode: 0o700 }))
    const path = socketOf(dataDir)
    yield* removeLeftover(dataDir)
    let ready: (run: RunCommand) => void = () => {}
    const runner = new Promise<RunCommand>((resolve) => {
      ready = resolve
    })
    // Bound under a name of its own first, then linked to the name that counts: of two that try, one link fails.
    const beside = join(dataDir, `.${randomUUID().slice(0, 8)}`)
    yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>, DirectoryUnusable>((resume) => {
        const server = createServer((socket) => answer(socket, runner))
        server.once("error", (error) =>
          resume(Effect.fail(new DirectoryUnusable({ message: `${path} cannot be bound: ${error.message}` })))
        )
        server.listen(beside, () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
        })
    )
    yield* attempt(dataDir, () => chmod(beside, 0o600))
    yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => link(beside, path).finally(() => rm(beside, { force: true })),
        catch: () => inUse(dataDir)
      }),
      // Where even that fails, the next start finds a socket at which nobody answers.
      () => Effect.ignore(attempt(dataDir, () => rm(path, { force: true })))
    )
    return { serve: ready }
  })

const inUse = (dataDir: string) =>
  new DirectoryOwned({
    message: `${dataDir} is in use by a running service; stop it, or set DATA_DIR to another folder`
  })

/**
 * Removes the socket of a process that was killed; fails when somebody answers at it. It is moved aside before it is
 * removed, and asked once more: another process that starts at this moment may have put its own there meanwhile.
 */
const removeLeftover = Effect.fnUntraced(function* (dataDir: string) {
  const path = socketOf(dataDir)
  const answers = (at: string) =>
    Effect.map(dial(at), (socket) => {
      socket?.destroy()
      return socket !== undefined
    })
  if (yield* answers(path)) return yield* inUse(dataDir)
  const aside = join(dataDir, `.${randomUUID().slice(0, 8)}`)
  const moved = yield* Effect.isSuccess(attempt(dataDir, () => rename(path, aside)))
  if (!moved) return
  const alive = yield* answers(aside)
  if (alive) yield* Effect.ignore(attempt(dataDir, () => link(aside, path)))
  yield* attempt(dataDir, () => rm(aside, { force: true }))
  if (alive) return yield* inUse(dataDir)
})

/** The lines of a socket. The interface throws the socket's errors once more, at nobody, unless they are heard. */
const lines = (socket: Socket) => createInterface({ input: socket }).on("error", () => socket.destroy())

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
  lines(socket).once("line", async (line) => {
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
    socket.on("error", () => socket.destroy())
    return yield* Effect.callback<number>((resume) => {
      let exit = 1
      lines(socket)
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
