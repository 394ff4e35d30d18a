/** Processes of the service that share a Postgres, its keys and a stand-in for all upstreams, which counts its requests. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { makeSecretFile } from "../../runtime/service/secret.ts"
import { answers, checkout } from "./checkout.ts"
import { freePort } from "./freePort.ts"
import { plumblineHere } from "./plumbline.ts"

type Environment = Readonly<Record<string, string>>

/** One process. */
export interface Member {
  readonly child: ChildProcess
  readonly port: number
  readonly base: string
  /** What it has printed so far. */
  readonly output: () => string
  /** Its exit code, once it has ended. */
  readonly ended: Effect.Effect<number | null>
}

export interface Fleet {
  /** The checkout that its processes run. */
  readonly program: string
  /** The key files, and what each process keeps. */
  readonly folder: string
  readonly databaseUrl: string
  /** What all processes are started with. */
  readonly settings: Environment
  /** When each plugin was asked for, by its id, epoch milliseconds. */
  readonly requests: ReadonlyMap<string, ReadonlyArray<number>>
  /** Keeps the answers for a plugin back until the returned function is called. */
  readonly hold: (plugin: string) => () => void
  /** Starts a process, without waiting for it. A name is a machine: it has a data folder and heads of its own. */
  readonly start: (name: string, more?: Environment) => Effect.Effect<Member, never, Scope.Scope>
  /** Starts a process that shares the work, and waits until it serves. */
  readonly join: (name: string, more?: Environment) => Effect.Effect<Member, never, Scope.Scope>
  /** Another version of the program, with a plugin of this id besides, which reads the host of the first ones. */
  readonly upgrade: (plugin: string) => { readonly join: Fleet["join"] }
}

/** A stand-in for every upstream: the nth answer of a plugin says n. */
const standIn = Effect.acquireRelease(
  Effect.promise(async () => {
    const requests = new Map<string, Array<number>>()
    const gates = new Map<string, Promise<void>>()
    const server = createServer((request, response) => {
      const id = (request.url ?? "").slice(1)
      const times = requests.get(id) ?? []
      requests.set(id, [...times, Date.now()])
      const body = JSON.stringify({ nodes: times.length + 1 })
      const answer = () => response.setHeader("Content-Type", "application/json").end(body)
      const waits = gates.get(id)
      if (waits === undefined) answer()
      else void waits.then(answer)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const hold = (id: string): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set(id, promise)
      return () => {
        gates.delete(id)
        resolve()
      }
    }
    return { hold, requests, server, port: typeof address === "object" ? (address?.port ?? 0) : 0 }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

/** Two plugins read each host. */
const hostOf = (n: number): string => `stand-in-${Math.floor(n / 2)}.example`

/** `databaseUrl` is an empty database, or a migrated one. */
export const fleet = Effect.fnUntraced(function* (
  databaseUrl: string,
  options: { readonly plugins?: number; readonly every?: string; readonly settings?: Environment } = {}
) {
  const plugins = options.plugins ?? 1
  const { hold, port: upstream, requests } = yield* standIn
  const program = (...more: ReadonlyArray<string>) =>
    checkout(plugins, options.every ?? "1 hour", {
      hostOf,
      more: more.map((id) => ({ id, host: hostOf(0) }))
    })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-fleet-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const common: Environment = {
    HOME: folder,
    DATABASE_URL: databaseUrl,
    SIGNING_KEY_FILE: join(folder, "signing-key.pem"),
    LOG_KEY_FILE: join(folder, "log-key.pem"),
    SERVER_SECRET_FILE: join(folder, "server-secret"),
    BASE_URL: "https://plumbline.test",
    UPSTREAM_MAP: Array.from(
      { length: plugins },
      (_, n) => `${hostOf(n)}=http://127.0.0.1:${upstream}`
    ).join(),
    OTS_CALENDARS: "http://127.0.0.1:9",
    ESPLORA_URL: "http://127.0.0.1:9",
    KEYLESS_PER_MINUTE: "off",
    KEYLESS_PER_DAY: "off",
    ...options.settings
  }
  yield* Effect.orDie(makeSecretFile(join(folder, "server-secret")))
  yield* plumblineHere(common, "key", "new")

  const startOf = Effect.fnUntraced(function* (top: string, name: string, more: Environment = {}) {
    const port = yield* Effect.promise(freePort)
    const { child, ended, lines } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(
          process.execPath,
          ["--preserve-symlinks", "--preserve-symlinks-main", join(top, "runtime/bin.ts"), "serve"],
          {
            cwd: folder,
            env: {
              ...common,
              PORT: String(port),
              DATA_DIR: join(folder, name),
              LOG_HEAD_DIR: join(folder, `${name}.heads`),
              ...more
            },
            stdio: ["ignore", "pipe", "pipe"]
          }
        )
        const lines: Array<string> = []
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (text) => lines.push(String(text)))
        return { child, lines, ended: once(child, "close") }
      }),
      ({ child, ended }) =>
        Effect.promise(async () => {
          child.kill("SIGKILL")
          await ended
        })
    )
    return {
      child,
      port,
      base: `http://127.0.0.1:${port}`,
      output: () => lines.join(""),
      ended: Effect.map(
        Effect.promise(() => ended),
        ([code]) => (typeof code === "number" ? code : null)
      )
    }
  })

  const joinOf = Effect.fnUntraced(function* (top: string, name: string, more: Environment = {}) {
    const address = `127.0.0.1:${yield* Effect.promise(freePort)}`
    const member = yield* startOf(top, name, { CLUSTER_ADDRESS: address, ...more })
    yield* serves(member)
    return member
  })
  const ships: Fleet = {
    program: program(),
    folder,
    databaseUrl,
    settings: common,
    hold,
    requests,
    start: (name, more) => startOf(program(), name, more),
    join: (name, more) => joinOf(program(), name, more),
    upgrade: (plugin) => ({ join: (name, more) => joinOf(program(plugin), name, more) })
  }
  return ships
})

/** Waits until the process answers. */
export const serves = ({ child, port, output }: Member): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!(yield* Effect.promise(() => answers(port, "/health")))) {
      if (child.exitCode !== null) return yield* Effect.die(`the service ended: ${output()}`)
      yield* Effect.sleep("50 millis")
    }
  })

/** The answer of `/readyz`. */
export const readyz = ({ base }: Member) =>
  Effect.promise(async () => {
    const answer = await fetch(`${base}/readyz`)
    const body = (await answer.json()) as {
      readonly reasons?: ReadonlyArray<{ readonly code: string; readonly message: string }>
      readonly warnings: ReadonlyArray<{ readonly code: string; readonly message: string }>
    }
    return { status: answer.status, reasons: body.reasons ?? [], warnings: body.warnings }
  })
