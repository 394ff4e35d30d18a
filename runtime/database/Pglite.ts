/** Postgres compiled to WebAssembly, in a thread of its own, spoken to over the wire protocol. */
import { statfsSync } from "node:fs"
import { Duplex } from "node:stream"
import { Worker } from "node:worker_threads"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** A running embedded database. */
export interface Pglite {
  /** A Duplex over the database's one session. */
  readonly stream: () => Duplex
  /** The data directory as one tar file, to start others from. */
  readonly dump: Effect.Effect<Uint8Array>
}

interface Options {
  /** Folder of the data; in memory without it. */
  readonly dataDir?: string
  /** A dump to start from. */
  readonly load?: Uint8Array
}

type Answer =
  | { ready: true }
  | { wire: Uint8Array; session: number }
  | { over: number }
  | { dump: Uint8Array }
  | { closed: true }
  /** The last word of a thread that cannot go on. */
  | { failed: string }

/** An embedded database that cannot be opened; the message is one line. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  message: Schema.String
}) {}

/** MiB below which the disk is named as the likely cause: Postgres asks for 16 at a time for its log. */
const fewMegabytes = 32

/** What the reason of an ended database leaves out. */
const room = (dataDir: string | undefined): string => {
  if (dataDir === undefined) return ""
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    const free = Math.floor((bavail * bsize) / 2 ** 20)
    return free < fewMegabytes ? `; the disk of ${dataDir} is nearly full (${free} MiB free)` : ""
  } catch {
    return ""
  }
}

/**
 * A database that dies takes the process with it, which finds what was committed at its next start: left alone it would
 * leave every query waiting for ever.
 */
const died = (why: string, dataDir: string | undefined): never => {
  process.stderr.write(
    `plumbline: the embedded database ended: ${why}${room(dataDir)}. What was committed is kept: start again.\n`
  )
  return process.exit(1)
}

/** Starts the thread; it ends with the scope, after what was sent has been answered. */
export const make = ({ dataDir, load }: Options): Effect.Effect<Pglite, DatabaseUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    let expected = false
    const worker = yield* Effect.acquireRelease(
      Effect.callback<Worker, DatabaseUnusable>((resume) => {
        const started = new Worker(new URL("pglite.thread.ts", import.meta.url), {
          name: "database",
          workerData: { dataDir, load }
        })
        let ready = false
        let reason: string | undefined
        started.on("message", (answer: Answer) => {
          if ("failed" in answer) reason = answer.failed
          if (!("ready" in answer)) return
          ready = true
          resume(Effect.succeed(started))
        })
        started.on("error", ({ message }) => {
          reason = message
          if (ready) died(message, dataDir)
        })
        // Follows all that the thread had to say.
        started.once("exit", (code) => {
          const why = reason ?? `its thread exited with ${code}`
          if (ready && !expected) died(why, dataDir)
          const where = dataDir === undefined ? "" : ` in ${dataDir}`
          const message = `the embedded database${where} cannot be opened: ${why}${room(dataDir)}`
          resume(Effect.fail(new DatabaseUnusable({ message })))
        })
      }),
      (worker) =>
        Effect.callback<void>((resume) => {
          expected = true
          worker.once("exit", () => resume(Effect.void))
          worker.postMessage({ close: true })
        })
    )
    let sessions = 0
    return { stream: () => wire(worker, ++sessions), dump: dump(worker) }
  })

const dump = (worker: Worker): Effect.Effect<Uint8Array> =>
  Effect.callback((resume) => {
    const listen = (answer: Answer) => {
      if (!("dump" in answer)) return
      worker.off("message", listen)
      resume(Effect.succeed(answer.dump))
    }
    worker.on("message", listen)
    worker.postMessage({ dump: true })
  })

/** Code in the place of a protocol version: PostgreSQL documentation, "Message Formats", CancelRequest. */
const cancelRequest = 80877102

/**
 * The session as a Duplex. PGlite wants whole messages: what the client wrote is cut at message borders (a startup
 * packet has no type byte, all later messages have one) and handed over. A new Duplex is a new session: an answer to
 * an earlier one, which a client gave up waiting for, never reaches it, and one that still asks finds its connection
 * closed: the client's pool opens the next before it has done with the one that it retires.
 */
const wire = (worker: Worker, session: number): Duplex => {
  let waiting: Buffer = Buffer.alloc(0)
  let started = false
  const listen = (answer: Answer) => {
    if ("wire" in answer && answer.session === session && answer.wire.length > 0) duplex.push(answer.wire)
    if ("over" in answer && answer.over === session) duplex.destroy()
  }
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
        // One session has nobody to cancel it from outside: the request ends as a server ends it, without an answer.
        if (!started && waiting.readUInt32BE(4) === cancelRequest) {
          done()
          return void duplex.destroy()
        }
        // Terminate would end the one session: the thread's own close does that.
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
    // The session outlives any idle time: a second startup packet would not open a second one.
    idleTimeout: "365 days",
    connectionTTL: "3650 days"
  })

/** An embedded database and its client in one. */
export const layer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError | DatabaseUnusable> =>
  Layer.unwrap(Effect.map(make(options), client))
