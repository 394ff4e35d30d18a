/** The thread that writes Parquet files, so that the service goes on answering meanwhile. */
import { createHash } from "node:crypto"
import { closeSync, createReadStream, fsyncSync, openSync, statSync } from "node:fs"
import { parentPort } from "node:worker_threads"
import type { SchemaElement } from "hyparquet"
import { fileWriter, ParquetWriter } from "hyparquet-writer"
import { type Column, columnsOf, metadataKey, rowOf, statementText } from "../../core/proof/archive.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import type { FromThread, ToThread } from "./protocol.ts"

if (parentPort === null) throw new Error("archive.thread.ts runs as a worker thread")
const port = parentPort

/** Rows of a row group: enough to be packed well, and few enough that a reader of one series reads little else. */
const groupRows = { day: 100_000, month: 40_000, year: 40_000 } as const

const elements: Readonly<Record<Column["type"], Omit<SchemaElement, "name" | "repetition_type">>> = {
  boolean: { type: "BOOLEAN" },
  date: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
  double: { type: "DOUBLE" },
  hash: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 32 },
  integer: { type: "INT32" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" }
}

const schemaOf = (columns: ReadonlyArray<Column>): Array<SchemaElement> => [
  { name: "root", num_children: columns.length },
  ...columns.map(
    ({ name, optional, type }): SchemaElement => ({
      name,
      repetition_type: optional === true ? "OPTIONAL" : "REQUIRED",
      ...elements[type]
    })
  )
]

const began = ({ path, statement }: Extract<ToThread, { begin: unknown }>["begin"]) => {
  const columns = columnsOf(statement.period)
  const most = groupRows[statement.period]
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: schemaOf(columns),
    kvMetadata: [{ key: metadataKey, value: statementText(statement) }],
    createdBy: "plumbline"
  })
  const fresh = () => new Map<string, Array<unknown>>(columns.map(({ name }) => [name, []]))
  let group = fresh()
  let waiting = 0
  let rows = 0

  const writeGroup = () => {
    if (waiting === 0) return
    writer.write({
      columnData: columns.map(({ name, type }) => ({
        name,
        data: group.get(name) ?? [],
        // What a hash is cannot be told from its bounds, and a verified address is looked for by nobody.
        statistics: type !== "hash" && name !== "verify_url"
      })),
      rowGroupSize: most
    })
    rows += waiting
    waiting = 0
    group = fresh()
  }

  return {
    add: (leaves: Extract<ToThread, { leaves: unknown }>["leaves"]) => {
      for (const { hash, text } of leaves) {
        const leaf = parseLeaf(text)
        if (leaf.kind === "absent") throw new Malformed("an absence leaf has no row")
        const row = rowOf(leaf, hash)
        for (const [name, cells] of group) cells.push(Reflect.get(row, name))
        if (++waiting === most) writeGroup()
      }
    },
    finish: async () => {
      writeGroup()
      writer.finish()
      const file = openSync(path, "r+")
      fsyncSync(file)
      closeSync(file)
      const sha256 = createHash("sha256")
      for await (const part of createReadStream(path)) sha256.update(part)
      return { bytes: statSync(path).size, rows, sha256: sha256.digest("hex") }
    }
  }
}

let file: ReturnType<typeof began> | undefined

const answer = async (message: ToThread): Promise<FromThread> => {
  if ("begin" in message) file = began(message.begin)
  else if ("leaves" in message) file?.add(message.leaves)
  else if (file !== undefined) return { finished: await file.finish() }
  return { accepted: true }
}

port.on("message", (message: ToThread) => {
  answer(message)
    .catch(
      (error: unknown): FromThread => ({ failed: error instanceof Error ? error.message : String(error) })
    )
    .then((response) => port.postMessage(response))
})
