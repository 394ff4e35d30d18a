/** The thread that holds the embedded Postgres: wire bytes in, wire bytes out, in order. */
import { parentPort, workerData } from "node:worker_threads"
import { PGlite } from "@electric-sql/pglite"

if (parentPort === null) throw new Error("pglite.thread.ts runs as a worker thread")
const port = parentPort
const { dataDir, load } = workerData as {
  dataDir: string | undefined
  load: Uint8Array<ArrayBuffer> | undefined
}

const db = await PGlite.create({
  ...(dataDir === undefined ? {} : { dataDir }),
  ...(load === undefined ? {} : { loadDataDir: new Blob([load]) })
})

type Message =
  | { readonly wire: Uint8Array; readonly session: number }
  | { readonly dump: true }
  | { readonly close: true }

let queue: Promise<void> = Promise.resolve()
let session = 1

/** PGlite is one session for all: what a client left behind (an open transaction, prepared names) goes first. */
const begin = async (next: number): Promise<void> => {
  session = next
  await db.exec("rollback")
  await db.exec("discard all")
  await db.exec(manners)
}

/**
 * Plans are kept from when the tables were empty, and nothing analyses them meanwhile: a plan that reads a whole table
 * for each row, the checks of foreign keys among them, would stay for the life of the session.
 */
const manners = "set enable_seqscan = off"
await db.exec(manners)

port.on("message", (message: Message) => {
  queue = queue.then(async () => {
    if ("wire" in message) {
      if (message.session < session) return port.postMessage({ over: message.session })
      if (message.session > session) await begin(message.session)
      const answer = await db.execProtocolRaw(message.wire)
      // PGlite may reuse the buffer behind its answer: a copy can be handed over.
      const copy = answer.slice()
      port.postMessage({ wire: copy, session: message.session }, [copy.buffer])
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
