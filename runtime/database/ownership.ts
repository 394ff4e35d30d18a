/**
 * One process owns `DATA_DIR`: two processes on one embedded database would lose rows without an error. Its socket is
 * the lock (`claim`), and at `DATA_DIR/plumbline.sock` a running service takes operator commands through it: a client
 * sends one line `{"argv": […]}`, and receives lines `{"out": text}` or `{"err": text}` and finally `{"exit": code}`.
 */
import { randomUUID } from "node:crypto"
import { chmod, link, readdir, rename, rm } from "node:fs/promises"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Schema, type Scope } from "effect"
import { guarded } from "../../core/process/guarded.ts"
import { makeFolder } from "../outside/disk.ts"

/** A data directory that cannot be used: a disk error, or the socket cannot be created. The message is one line. */
export class DirectoryUnusable extends Schema.TaggedError<DirectoryUnusable>()("DirectoryUnusable", {
  message: Schema.String
}) {}

export class DirectoryOwned extends Schema.TaggedError<DirectoryOwned>()("DirectoryOwned", {
  message: Schema.String
}) {}

/** A line that the running service sends back. */
type Line = { readonly out: string } | { readonly err: string } | { readonly exit: number }

/** Runs one operator command, prints through `print`, and returns the exit code. */
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

/** Most bytes a client may send: a command line, not a document. */
const longest = 64 * 1024

/**
 * Takes ownership of the directory until the scope closes; fails if another process owns it. Commands wait until
 * `serve` is called.
 */
export const own = (
  dataDir: string
): Effect.Effect<
  { readonly serve: (run: RunCommand) => void },
  DirectoryOwned | DirectoryUnusable,
  Scope.Scope
> =>
  Effect.gen(function* () {
    yield* attempt(dataDir, () => makeFolder(dataDir))
    const path = socketOf(dataDir)
    if (yield* answers(path)) return yield* inUse(dataDir)
    let ready: (run: RunCommand) => void = () => {}
    const runner = new Promise<RunCommand>((resolve) => {
      ready = resolve
    })
    const unique = join(dataDir, `.${randomUUID().slice(0, 8)}`)
    yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>, DirectoryUnusable>((resume) => {
        const server = createServer((socket) => answer(socket, runner))
        server.once("error", (error) =>
          resume(
            Effect.fail(new DirectoryUnusable({ message: `cannot listen on ${path}: ${error.message}` }))
          )
        )
        server.listen(unique, () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
        })
    )
    yield* attempt(dataDir, () => chmod(unique, 0o600))
    yield* claim(dataDir, unique).pipe(
      Effect.onError(() => Effect.ignore(attempt(dataDir, () => rm(unique, { force: true }))))
    )
    yield* Effect.acquireRelease(
      attempt(dataDir, () => rename(unique, path)),
      // If this fails, the next start finds a socket where no process answers, and replaces it.
      () => Effect.ignore(attempt(dataDir, () => rm(path, { force: true })))
    )
    return { serve: ready }
  })

const inUse = (dataDir: string) =>
  new DirectoryOwned({
    message: `${dataDir} is in use by a running service; stop it, or set DATA_DIR to another folder`
  })

const answers = (path: string): Effect.Effect<boolean> =>
  Effect.map(dial(path), (socket) => {
    socket?.destroy()
    return socket !== undefined
  })

/** A claim is a name of its owner's socket: `.owner-1`, `.owner-2` and so on. */
const claimOf = (dataDir: string, number: number): string => join(dataDir, `.owner-${number}`)

const claimsIn = (dataDir: string) =>
  attempt(dataDir, async () =>
    (await readdir(dataDir)).flatMap((name) => {
      const [, number] = /^\.owner-(\d+)$/.exec(name) ?? []
      return number === undefined ? [] : [Number(number)]
    })
  )

/**
 * Gives the socket the next number, if nobody answers at the highest. Of many that try, one gets it, because a link is made
 * once. The highest claim stays in the folder when its owner ends, so numbers only rise: whoever comes late with a number
 * that was taken and removed meanwhile finds a higher one. A name that many share could not be taken over so: between the
 * look at a dead socket and its removal, a living one can come to stand there.
 */
const claim = (dataDir: string, socket: string): Effect.Effect<void, DirectoryOwned | DirectoryUnusable> =>
  Effect.gen(function* () {
    const last = Math.max(0, ...(yield* claimsIn(dataDir)))
    if (yield* answers(claimOf(dataDir, last))) return yield* inUse(dataDir)
    const ownClaim = claimOf(dataDir, last + 1)
    const linked = yield* attempt(dataDir, () =>
      link(socket, ownClaim).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "EEXIST") return false
          throw error
        }
      )
    )
    if (!linked) return yield* claim(dataDir, socket)
    const claims = yield* claimsIn(dataDir)
    const isLast = !claims.some((number) => number > last + 1)
    const over = isLast
      ? claims.filter((number) => number <= last).map((number) => claimOf(dataDir, number))
      : [ownClaim]
    yield* attempt(dataDir, () => Promise.all(over.map((path) => rm(path, { force: true }))))
    if (!isLast) return yield* claim(dataDir, socket)
  })

/** The lines of a socket. readline emits the socket's errors again, so they need a listener here as well. */
const lines = (socket: Socket) => createInterface({ input: socket }).on("error", () => socket.destroy())

const answer = (socket: Socket, runner: Promise<RunCommand>): void => {
  socket.on("error", () => socket.destroy())
  const say = (line: Line) => {
    if (socket.writable) socket.write(`${JSON.stringify(line)}\n`)
  }
  let read = 0
  socket.on(
    "data",
    guarded("an operator's command", (chunk: Buffer) => {
      read += chunk.length
      if (read > longest) socket.destroy()
    })
  )
  lines(socket).once(
    "line",
    guarded("an operator's command", async (line: string) => {
      try {
        const { argv } = JSON.parse(line) as { argv: unknown }
        if (!Array.isArray(argv) || !argv.every((word) => typeof word === "string")) throw new Error("argv")
        say({ exit: await (await runner)(argv, say) })
      } catch {
        say({ err: "the running service could not read the command" })
        say({ exit: 1 })
      }
      socket.end()
    })
  )
}

/** Runs a command in the running service and prints its output; undefined if no service runs in the directory. */
export const forward = (
  dataDir: string,
  argv: ReadonlyArray<string>,
  print: (text: string) => void = (text) => process.stdout.write(text)
): Effect.Effect<number | undefined> =>
  Effect.gen(function* () {
    const socket = yield* dial(socketOf(dataDir))
    if (socket === undefined) return undefined
    socket.on("error", () => socket.destroy())
    return yield* Effect.callback<number>((resume) => {
      let exit = 1
      lines(socket)
        .on(
          "line",
          guarded("the answer of the service", (text: string) => {
            const line = JSON.parse(text) as Line
            if ("out" in line) print(line.out)
            else if ("err" in line) process.stderr.write(line.err)
            else exit = line.exit
          })
        )
        .on("close", () => resume(Effect.succeed(exit)))
      socket.write(`${JSON.stringify({ argv })}\n`)
    })
  })
