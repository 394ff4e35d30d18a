/** Reads the tables of purchased payloads: long ones in a thread, because to parse megabytes holds up every other answer. */
import { Context, Effect, Layer } from "effect"
import { longPayload } from "../../core/process/threads/longPayload.ts"
import { makeThread } from "../../core/process/threads/thread.ts"
import { type ChunkTask, chunkReader, type TableChunk } from "./tableChunk.ts"

/** The same bytes in memory that the thread reads without a copy for each chunk. */
const shared = (bytes: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

/** Reads the rows of one payload on from a place. */
export type ReadChunk = (task: Pick<ChunkTask, "table" | "from">) => Effect.Effect<TableChunk>

export class TableReader extends Context.Service<
  TableReader,
  {
    /** Of a payload and what names its bytes. */
    readonly of: (payload: Pick<ChunkTask, "id" | "bytes">) => ReadChunk
  }
>()("http/explorer/TableReader") {
  static readonly layer = Layer.effect(
    TableReader,
    Effect.gen(function* () {
      const inThread = yield* makeThread<ChunkTask, TableChunk>(
        new URL("tables.thread.ts", import.meta.url),
        "tables"
      )
      return TableReader.of({
        of: ({ bytes, id }) => {
          if (bytes.length > longPayload) {
            const payload = { id, bytes: shared(bytes) }
            return (task) => inThread({ ...payload, ...task })
          }
          const read = chunkReader()
          return (task) => Effect.sync(() => read({ id, bytes, ...task }))
        }
      })
    })
  )
}
