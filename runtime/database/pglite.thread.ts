/** The thread that runs the embedded Postgres: wire bytes in, wire bytes out, in order. */
import { parentPort, workerData } from "node:worker_threads"
import { PGlite } from "@electric-sql/pglite"
import { reportThread } from "../metrics/threads.ts"
import { messageOf, startParams } from "./engine.ts"
import { type Copied, mirrorFolder } from "./mirrorFolder.ts"

if (parentPort === null) throw new Error("pglite.thread.ts runs as a worker thread")
const port = parentPort
reportThread("database")
const { dataDir, load, module } = workerData as {
  dataDir: string | undefined
  load: Uint8Array<ArrayBuffer> | undefined
  module: WebAssembly.Module | undefined
}

const fail = (why: string): never => {
  port.postMessage({ failed: why })
  return process.exit(1)
}

const db = await PGlite.create({
  startParams,
  ...(dataDir === undefined ? {} : { dataDir }),
  ...(load === undefined ? {} : { loadDataDir: new Blob([load]) }),
  ...(module === undefined ? {} : { pgliteWasmModule: module })
}).catch((error: unknown) => fail(messageOf(error)))

// Postgres aborts when it cannot continue, for example when its log does not fit on the disk. PGlite swallows the abort
// and calls the dead engine again, which would hang the thread, so the thread ends here.
db.Module.onAbort = () => fail("it aborted")

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

type Message =
  | { readonly wire: Uint8Array; readonly session: number }
  | { readonly dump: true }
  | { readonly snapshot: string }
  | { readonly close: true }

let queue: Promise<void> = Promise.resolve()
let session = 1

/** PGlite has one session for all clients: what the last one left behind (a transaction, prepared names) goes first. */
const begin = async (next: number): Promise<void> => {
  session = next
  await db.exec("rollback")
  await db.exec("discard all")
  await db.exec(sessionSettings)
}

/**
 * Plans date from when the tables were empty, and nothing analyses the tables meanwhile. Without this setting a plan that
 * scans a whole table for each row, such as a foreign key check, would stay for the life of the session.
 */
const sessionSettings = "set enable_seqscan = off"
await db.exec(sessionSettings)

/** Only the last of the copying is in the queue: that is how long the database stands still. */
const snapshot = async (to: string): Promise<void> => {
  if (dataDir === undefined) throw new Error("the database is in memory")
  const from = dataDir
  const copied = new Map<string, Copied>()
  await mirrorFolder(from, to, copied)
  // What was written while the first pass went on; less each time.
  await mirrorFolder(from, to, copied)
  const last = queue.then(() => mirrorFolder(from, to, copied))
  // Its failure is its caller's, not that of the statements behind it.
  queue = last.catch(() => undefined)
  await last
}

port.on("message", (message: Message) => {
  if ("snapshot" in message) {
    snapshot(message.snapshot).then(
      () => port.postMessage({ snapshot: null }),
      (error: unknown) => port.postMessage({ snapshot: messageOf(error) })
    )
    return
  }
  queue = queue.then(async () => {
    if ("wire" in message) {
      if (message.session < session) return port.postMessage({ over: message.session })
      if (message.session > session) await begin(message.session)
      // Not `execProtocolRaw`: PGlite would parse its answer and keep each row until the next `exec`.
      const parts: Array<Uint8Array> = []
      // PGlite reuses the memory behind each part, so it must be copied.
      await db.execProtocolRawStream(message.wire, { onRawData: (part) => parts.push(part.slice()) })
      const answer = concat(parts)
      port.postMessage({ wire: answer, session: message.session }, [answer.buffer])
    } else if ("dump" in message) {
      const dump = new Uint8Array(await (await db.dumpDataDir("none")).arrayBuffer())
      port.postMessage({ dump }, [dump.buffer])
    } else {
      await db.close()
      port.postMessage({ closed: true })
      port.close()
    }
  })
})

port.postMessage({ ready: true })
