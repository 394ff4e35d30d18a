/** The thread that writes Parquet files, so that the service goes on answering meanwhile. */
import { createHash } from "node:crypto"
import { closeSync, createReadStream, fsyncSync, openSync, statSync } from "node:fs"
import { parentPort } from "node:worker_threads"
import type { SchemaElement } from "hyparquet"
import { fileWriter, ParquetWriter } from "hyparquet-writer"
import type { Sealed, Tally } from "../../core/log/archive/FileMaker.ts"
import { sha256 } from "../../core/process/sha256.ts"
import {
  type Column,
  columnsOf,
  metadataKey,
  rightsKey,
  rowOf,
  statementText
} from "../../core/proof/archive.ts"
import { equalBytes, Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { GrowingRoot, leafHash } from "../../core/proof/merkle.ts"
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

/** Sums of hashes are taken modulo this. */
const modulus = 2n ** 256n

const summedUp = ({ absence }: Extract<ToThread, { begin: unknown }>["begin"]["statement"]) => {
  const root = new GrowingRoot(sha256)
  let sum = 0n
  let altered: string | undefined
  return {
    /** The leaves whose texts have their hashes. */
    add: (leaves: ReadonlyArray<Sealed>): ReadonlyArray<Sealed> =>
      leaves.filter(({ hash, text }) => {
        const computed = leafHash(utf8(text), sha256)
        root.add(computed)
        sum = (sum + BigInt(`0x${toHex(computed)}`)) % modulus
        if (equalBytes(computed, hash)) return true
        altered ??= text
        return false
      }),
    finish: (): Tally => {
      const rows = root.size
      if (absence !== undefined) root.add(leafHash(utf8(absence), sha256))
      return { rows, root: toHex(root.root), sum: sum.toString(16).padStart(64, "0"), altered }
    }
  }
}

type Begin = Extract<ToThread, { begin: unknown }>["begin"]

const fileAt = (path: string, { rights, statement }: Omit<Begin, "path">) => {
  const columns = columnsOf(statement.period).filter(({ name }) => name !== "licence" || rights !== null)
  const most = groupRows[statement.period]
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: schemaOf(columns),
    kvMetadata: [
      { key: metadataKey, value: statementText(statement) },
      ...(rights === null ? [] : [{ key: rightsKey, value: canonical(rights) }])
    ],
    createdBy: "plumbline"
  })
  const fresh = () => new Map<string, Array<unknown>>(columns.map(({ name }) => [name, []]))
  let group = fresh()
  let waiting = 0

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
    waiting = 0
    group = fresh()
  }

  return {
    add: (leaves: ReadonlyArray<Sealed>) => {
      for (const { hash, text } of leaves) {
        const leaf = parseLeaf(text)
        if (leaf.kind === "absent") throw new Malformed("an absence leaf has no row")
        const row = rowOf(leaf, hash, rights?.[leaf.source]?.licence ?? null)
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
      const hash = createHash("sha256")
      for await (const part of createReadStream(path)) hash.update(part)
      return { bytes: statSync(path).size, sha256: hash.digest("hex") }
    }
  }
}

const began = ({ path, ...begin }: Begin) => ({
  tally: summedUp(begin.statement),
  file: path === undefined ? undefined : fileAt(path, begin)
})

let work: ReturnType<typeof began> | undefined

const answer = async (message: ToThread): Promise<FromThread> => {
  if ("begin" in message) work = began(message.begin)
  else if ("leaves" in message) {
    const sound = work?.tally.add(message.leaves) ?? []
    work?.file?.add(sound)
  } else if (work !== undefined) {
    return { finished: { tally: work.tally.finish(), file: await work.file?.finish() } }
  }
  return { accepted: true }
}

port.on("message", (message: ToThread) => {
  answer(message)
    .catch(
      (error: unknown): FromThread => ({ failed: error instanceof Error ? error.message : String(error) })
    )
    .then((response) => port.postMessage(response))
})
