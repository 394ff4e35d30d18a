/**
 * Checks a file of the archive: its rows against their hashes, the batch and the log. Its bytes are hashed, and compared with what the
 * log says of them, before a row is read: a small file can say that it has any number of rows.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import {
  archiveKind,
  type FileStatement,
  fileName,
  leafTextOf,
  metadataKey,
  type Period,
  parseStatement
} from "../../../../core/proof/archive.ts"
import { checkLeavesOf } from "../../../../core/proof/batch.ts"
import { CouldNotLook, equalBytes, inPlace, Malformed, toHex, utf8 } from "../../../../core/proof/bytes.ts"
import { type Check, check, demand, notChecked, notProved } from "../../../../core/proof/check.ts"
import { type DocumentEntry, isBatch, type LogEntry } from "../../../../core/proof/entry.ts"
import { type Leaf, leafBytes, parseLeaf } from "../../../../core/proof/leaf.ts"
import { leafHash, root, treeOf } from "../../../../core/proof/merkle.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { logOf } from "./logOf.ts"
import type { Source } from "./monitor/source.ts"

const native = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const part of createReadStream(path)) hash.update(part)
  return hash.digest("hex")
}

/** The most rows of a day's file that are read without a log that says how many there are. */
const mostRows = 1_000_000

interface Opened {
  readonly sha256: string
  readonly statement: FileStatement
  readonly rows: number
  /** Reads the rows, which must be as many as the file says. */
  readonly read: () => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

const opened = async (path: string): Promise<Opened> => {
  try {
    const sha256 = await hashOf(path)
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    const text = metadata.key_value_metadata?.find(({ key }) => key === metadataKey)?.value
    if (text === undefined)
      throw new Malformed("it has no statement of an archive; see core/proof/formats/archive.md")
    const rows = Number(metadata.num_rows)
    const inGroups = metadata.row_groups.map((group) => [
      Number(group.num_rows),
      ...group.columns.map(({ meta_data }) => Number(meta_data?.num_values ?? group.num_rows))
    ])
    const total = inGroups.reduce((sum, [ofGroup = 0]) => sum + ofGroup, 0)
    if (total !== rows || inGroups.some(([ofGroup, ...ofColumns]) => ofColumns.some((n) => n !== ofGroup)))
      throw new Malformed(`it says that it has ${rows} rows, and its parts say otherwise`)
    return {
      sha256,
      statement: parseStatement(text),
      rows,
      read: () =>
        parquetReadObjects({ file, metadata }).catch((error: unknown) => {
          throw new Malformed(`its rows cannot be read: ${error}`)
        })
    }
  } catch (error) {
    if (error instanceof Malformed) throw error
    if (error instanceof Error && "syscall" in error) throw new CouldNotLook(`cannot read file ${path}`)
    throw new Malformed(`${path} is not a Parquet file that can be read: ${error}`)
  }
}

/** The leaves of a day's file, in order, and whether each row hashes to what its column says. */
const leavesOf = async (
  file: Opened
): Promise<{ readonly leaves: ReadonlyArray<Leaf>; readonly check: Check }> => {
  const leaves: Array<Leaf> = []
  const rows = await file.read()
  const checked = check("rows", () => {
    for (const [n, row] of rows.entries()) {
      try {
        const text = leafTextOf(row)
        leaves.push(parseLeaf(text))
        const [computed, recorded] = [leafHash(utf8(text), native), row["leaf_hash"]]
        demand(
          recorded instanceof Uint8Array && equalBytes(computed, recorded),
          `it hashes to ${toHex(computed)}, and its leaf_hash is ${recorded instanceof Uint8Array ? toHex(recorded) : "missing"}`,
          "hash"
        )
      } catch (error) {
        if (error instanceof Malformed) throw inPlace(`row ${n}`, error)
        throw error
      }
    }
    leaves.push(parseLeaf(file.statement.absence ?? ""))
    return `${rows.length} rows hash to their leaf_hash; with the absence leaf their root is ${toHex(root(treeOf(leaves.map(leafBytes), native), native))}`
  })
  return { leaves, check: checked }
}

const hasNoHashes = (period: Period): Check =>
  notChecked(
    "rows",
    `a ${period}'s file has no hashes of rows; the log has that of the file, and the files that it names have them`
  )

const ofFile = ({ rows, sha256, statement: { first_day, last_day, period } }: Opened): Check => ({
  name: "file",
  ok: true,
  detail: `${fileName(period, first_day)}, ${rows} rows of ${first_day === last_day ? first_day : `${first_day} to ${last_day}`}, SHA-256 ${sha256}`
})

/** What the file says of itself, where nobody has the log. */
const checkAlone = async (file: Opened): Promise<ReadonlyArray<Check>> => {
  const { period } = file.statement
  const rows =
    period !== "day"
      ? hasNoHashes(period)
      : file.rows > mostRows
        ? notProved(
            "rows",
            `${file.rows} rows are more than are read without a log that says how many there are`,
            "unavailable"
          )
        : (await leavesOf(file)).check
  return [rows, notProved("log", "pass --url or --dir, to see whether the log has this file", "unasked")]
}

/** Checks the file against the entries of a log whose head was checked. */
const checkUnder = async (file: Opened, entries: ReadonlyArray<LogEntry>): Promise<ReadonlyArray<Check>> => {
  const { first_day, period, sources = [] } = file.statement
  const name = fileName(period, first_day)
  const archived = new Map(entries.filter(isArchived).map((entry) => [entry.subject, entry] as const))
  const ofLog = check("log", () => {
    const entry = archived.get(name)
    demand(entry !== undefined, `no entry of the log is about ${name}`, "missing")
    demand(entry.sha256 === file.sha256, `the log has ${name} with SHA-256 ${entry.sha256}`, "hash")
    demand(
      entry.simulated === file.statement.simulated,
      "the file and the log disagree on whether it is simulated",
      "contradiction"
    )
    return `the log commits to this file as ${name}`
  })
  // Nothing is read of a file that is another than the log has.
  if (ofLog.ok !== true)
    return [ofLog, notProved("rows", "not read, since the log does not have this file", "unavailable")]
  if (period === "day") {
    const batch = entries.filter(isBatch).find(({ days }) => days[0] === first_day)
    const ofBatch = check("batch", () => {
      demand(batch !== undefined, `the log has no batch of ${first_day}`, "missing")
      // The last leaf says what was absent, and has no row.
      demand(
        file.rows === batch.tree_size - 1,
        `the file has ${file.rows} rows, and the batch ${batch.tree_size} leaves with the absence leaf`,
        "contradiction"
      )
      return ""
    })
    if (batch === undefined || ofBatch.ok !== true) return [ofLog, ofBatch]
    const day = await leavesOf(file)
    return [
      ofLog,
      day.check,
      check("batch", () => {
        checkLeavesOf(batch, day.leaves, native)
        return `the rows are the ${batch.tree_size} leaves under root ${batch.root}, one absence leaf among them`
      })
    ]
  }
  return [
    ofLog,
    hasNoHashes(period),
    check("sources", () => {
      for (const one of sources)
        demand(
          archived.get(one.name)?.sha256 === one.sha256,
          `the log does not have ${one.name} with SHA-256 ${one.sha256}`,
          "hash"
        )
      return `the log has all ${sources.length} files that it was made of`
    })
  ]
}

/** Checks the file by itself, or against the entries of a log whose head was checked. Throws `Malformed` where it cannot be read. */
export const verifyArchiveFile = async (
  path: string,
  entries: ReadonlyArray<LogEntry> | undefined
): Promise<ReadonlyArray<Check>> => {
  const file = await opened(path)
  return [ofFile(file), ...(await (entries === undefined ? checkAlone(file) : checkUnder(file, entries)))]
}

/** Checks the file; with a source of the log also that the log has it. */
export const verifyArchive = async (
  path: string,
  source: Source | undefined,
  trust: Trust & { readonly now: number }
): Promise<ReadonlyArray<Check>> => {
  if (source === undefined) return verifyArchiveFile(path, undefined)
  const file = await opened(path)
  const checks: Array<Check> = [ofFile(file)]
  const entries = await logOf(source, trust, checks)
  return entries === undefined ? checks : [...checks, ...(await checkUnder(file, entries))]
}

const isArchived = (entry: LogEntry): entry is DocumentEntry => !isBatch(entry) && entry.kind === archiveKind
