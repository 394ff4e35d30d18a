/** Postgres compiled to WebAssembly. It runs in its own thread and speaks the wire protocol. */
import { existsSync, readdirSync, statfsSync } from "node:fs"
import { dirname } from "node:path"
import { Duplex } from "node:stream"
import { setFlagsFromString } from "node:v8"
import { Worker } from "node:worker_threads"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { guarded } from "../../core/process/guarded.ts"
import { program } from "../../core/process/program.ts"
import { DiskError } from "../outside/disk.ts"
import { initdb } from "./initdb.ts"
import { Snapshot, snapshots } from "./Snapshot.ts"

/** A running embedded database. */
export interface Pglite {
  /** A Duplex over the only session of the database. */
  readonly stream: () => Duplex
  /** The data directory as a tar file, to start other databases from. */
  readonly dump: Effect.Effect<Uint8Array>
  /** Copies the data folder into another one as it is at one moment. Statements wait only for what changed meanwhile. */
  readonly copyTo: (folder: string) => Effect.Effect<void, DiskError>
}

interface Options {
  /** Data folder. Without one the database is in memory. */
  readonly dataDir?: string
  /** A dump to start from. */
  readonly load?: Uint8Array
  /** The engine compiled. Databases of one process that are given the same share its machine code. */
  readonly module?: WebAssembly.Module
}

type Answer =
  | { ready: true }
  | { wire: Uint8Array; session: number }
  | { over: number }
  | { dump: Uint8Array }
  /** Why the data folder could not be copied; null if it was. */
  | { snapshot: string | null }
  | { closed: true }
  /** The last message of a thread that cannot continue. */
  | { failed: string }

/** An embedded database that cannot be opened. The message is one line. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  message: Schema.String
}) {}

/** With less free space (MiB) the disk is the likely cause: Postgres allocates 16 MiB at a time for its log. */
const fewMegabytes = 32

/** A hint about the disk, which the database's own reason does not mention. */
const room = (dataDir: string | undefined): string => {
  if (dataDir === undefined) return ""
  try {
    const { bavail, bsize } = statfsSync(existsSync(dataDir) ? dataDir : dirname(dataDir))
    const free = Math.floor((bavail * bsize) / 2 ** 20)
    return free < fewMegabytes ? `; the disk of ${dataDir} is nearly full (${free} MiB free)` : ""
  } catch {
    return ""
  }
}

/** What to do where the disk has room, and the database still does not open. */
const lost = (dataDir: string | undefined): string =>
  dataDir !== undefined && existsSync(dataDir) && readdirSync(dataDir).length > 0
    ? `. If it stays so: move ${dataDir} away, keep it, and restore a backup: ${program} restore <folder of the backup>`
    : ""

/**
 * Ends the process when its database dies; otherwise every query would wait forever. The next start finds everything
 * that was committed.
 */
const died = (why: string, dataDir: string | undefined): never => {
  process.stderr.write(
    `plumbline: the embedded database stopped: ${why}${room(dataDir)}. Committed data is safe; start again.\n`
  )
  return process.exit(1)
}

/**
 * V8 replaces the wrapper of an imported function after a thousand calls and frees the old one. While other threads run WebAssembly
 * too, as each thread does whose TypeScript Node strips, that can abort the whole process: the database's thread died so twice in a
 * day of test runs (Node 24.21). No statement notices what the faster wrapper saves, so it is not made.
 */
const keepWrappers = (): void => setFlagsFromString("--wasm-wrapper-tiering-budget=2147483647")

/** Starts the thread. It ends with the scope, after it has answered everything that was sent. */
export const make = ({
  dataDir,
  load,
  module
}: Options): Effect.Effect<Pglite, DatabaseUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    let expected = false
    const unopened = (why: string) => {
      const where = dataDir === undefined ? "" : ` in ${dataDir}`
      const message = `the embedded database${where} cannot be opened: ${why}${room(dataDir) || lost(dataDir)}`
      return new DatabaseUnusable({ message })
    }
    if (dataDir !== undefined && load === undefined) yield* Effect.mapError(initdb(dataDir), unopened)
    keepWrappers()
    const worker = yield* Effect.acquireRelease(
      Effect.callback<Worker, DatabaseUnusable>((resume) => {
        const started = new Worker(new URL("pglite.thread.ts", import.meta.url), {
          name: "database",
          workerData: { dataDir, load, module }
        })
        let ready = false
        let reason: string | undefined
        started.on(
          "message",
          guarded("the database's thread", (answer: Answer) => {
            if ("failed" in answer) reason = answer.failed
            if (!("ready" in answer)) return
            ready = true
            resume(Effect.succeed(started))
          })
        )
        started.on(
          "error",
          guarded("the database's thread", ({ message }) => {
            reason = message
            if (ready) died(message, dataDir)
          })
        )
        // Fires after all messages of the thread.
        started.once(
          "exit",
          guarded("the database's thread", (code) => {
            const why = reason ?? `its thread exited with ${code}`
            if (ready && !expected) died(why, dataDir)
            resume(Effect.fail(unopened(why)))
          })
        )
      }),
      (worker) =>
        Effect.callback<void>((resume) => {
          expected = true
          worker.once("exit", () => resume(Effect.void))
          worker.postMessage({ close: true })
        })
    )
    let sessions = 0
    return {
      stream: () => wire(worker, ++sessions),
      dump: dump(worker),
      copyTo: (folder) => copyTo(worker, folder)
    }
  })

const copyTo = (worker: Worker, folder: string): Effect.Effect<void, DiskError> =>
  Effect.callback((resume) => {
    const listen = guarded("a snapshot of the database", (answer: Answer) => {
      if (!("snapshot" in answer)) return
      worker.off("message", listen)
      resume(
        answer.snapshot === null ? Effect.void : Effect.fail(new DiskError({ message: answer.snapshot }))
      )
    })
    // biome-ignore lint/plugin/callback: it is guarded
    worker.on("message", listen)
    worker.postMessage({ snapshot: folder })
  })

const dump = (worker: Worker): Effect.Effect<Uint8Array> =>
  Effect.callback((resume) => {
    const listen = guarded("a dump of the database", (answer: Answer) => {
      if (!("dump" in answer)) return
      worker.off("message", listen)
      resume(Effect.succeed(answer.dump))
    })
    // biome-ignore lint/plugin/callback: it is guarded
    worker.on("message", listen)
    worker.postMessage({ dump: true })
  })

/** The request code that replaces the protocol version: PostgreSQL documentation, "Message Formats", CancelRequest. */
const cancelRequest = 80877102

/**
 * The session as a Duplex. PGlite needs whole messages, so the client's bytes are split at message boundaries (a startup
 * packet has no type byte, all later messages have one). A new Duplex is a new session: it never receives an answer meant
 * for an earlier one, and an earlier one that still sends finds its connection closed. Both happen, because the client's
 * pool opens the next connection before it is done with the one it retires.
 */
const wire = (worker: Worker, session: number): Duplex => {
  let waiting: Buffer = Buffer.alloc(0)
  let started = false
  const listen = guarded("a session of the database", (answer: Answer) => {
    if ("wire" in answer && answer.session === session && answer.wire.length > 0) duplex.push(answer.wire)
    if ("over" in answer && answer.over === session) duplex.destroy()
  })
  const duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      let end = 0
      while (true) {
        const typed = started ? 1 : 0
        if (waiting.length < end + typed + 4) break
        const next = end + typed + waiting.readUInt32BE(end + typed)
        if (next > waiting.length) break
        // The only session cannot be cancelled from outside: close without an answer, as a server does.
        if (!started && waiting.readUInt32BE(4) === cancelRequest) {
          done()
          return void duplex.destroy()
        }
        // Terminate would end the only session; closing the thread does that.
        if (started && waiting[end] === 0x58) {
          waiting = waiting.subarray(0, end)
          break
        }
        end = next
        started = true
      }
      if (end > 0) {
        const messages = new Uint8Array(waiting.subarray(0, end))
        waiting = waiting.subarray(end)
        worker.postMessage({ wire: messages, session }, [messages.buffer])
      }
      done()
    },
    final(done) {
      worker.off("message", listen)
      done()
    },
    destroy(error, done) {
      worker.off("message", listen)
      done(error)
    }
  })
  // biome-ignore lint/plugin/callback: it is guarded
  worker.on("message", listen)
  return duplex
}

/** `SqlClient` on an embedded database: one connection, because PGlite is one session. */
export const client = (database: Pglite): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  PgClient.layer({
    stream: database.stream,
    username: "postgres",
    database: "postgres",
    maxConnections: 1,
    minConnections: 1,
    // Never idle out: a second startup packet would not open a second session.
    idleTimeout: "365 days",
    connectionTTL: "3650 days"
  })

/** An embedded database with its client. */
export const layer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError | DatabaseUnusable> =>
  Layer.unwrap(
    Effect.map(make(options), (database) =>
      options.dataDir === undefined
        ? client(database)
        : Layer.merge(client(database), Layer.succeed(Snapshot, snapshots(options.dataDir, database.copyTo)))
    )
  )
