/** The files of a log, of which proofs are made: whoever gets a proof checks it, so that nothing in them is trusted here. */

import { CouldNotLook, fromUtf8, toHex } from "../../../../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../../../../core/proof/checkpoint.ts"
import { type LogEntry, parseEntryBytes } from "../../../../../core/proof/entry.ts"
import { logPath } from "../../../../../core/proof/fetched.ts"
import type { InclusionProof } from "../../../../../core/proof/inclusion.ts"
import {
  buildTree,
  consistencyProof,
  hashLeaves,
  hashLength,
  inclusionProof,
  type Tree
} from "../../../../../core/proof/merkle.ts"
import { entriesPath, parseEntryBundle, tileWidth } from "../../../../../core/proof/tiles.ts"
import type { Source } from "../monitor/source.ts"

/** A log as its files have it. */
export interface FiledLog {
  readonly source: Source
  /** The newest head, with the lines of witnesses. */
  readonly note: string
  readonly texts: ReadonlyArray<string>
  readonly entries: ReadonlyArray<LogEntry>
  readonly tree: Tree
}

/** Entries that are read: more than a log of a hundred years has. */
const mostEntries = 4_000_000

/** A file of the log as text. Throws `CouldNotLook` where it is not there. */
export const fileOf = async (source: Source, path: string): Promise<string> => {
  const bytes = await source.read(path)
  if (bytes === undefined) throw new CouldNotLook(`${source.name} has no file ${path}`)
  return fromUtf8(bytes)
}

/** The whole log. Throws `CouldNotLook` where a file is missing, `Malformed` where one cannot be read. */
export const readFiledLog = async (source: Source): Promise<FiledLog> => {
  const note = await fileOf(source, `${logPath}/checkpoint`)
  const { size } = parseCheckpointText(parseNote(note).text)
  if (size > mostEntries) throw new CouldNotLook(`${source.name} says that its log has ${size} entries`)
  const bundles: Array<Uint8Array> = []
  for (let index = 0; index * tileWidth < size; index++) {
    const path = `${logPath}/${entriesPath(index, Math.min(tileWidth, size - index * tileWidth))}`
    const bytes = await source.read(path)
    if (bytes === undefined) throw new CouldNotLook(`${source.name} has no file ${path}`)
    bundles.push(...parseEntryBundle(bytes))
  }
  return {
    source,
    note,
    texts: bundles.map(fromUtf8),
    entries: bundles.map(parseEntryBytes),
    tree: buildTree(hashLeaves(bundles))
  }
}

/** The tree over the first leaves. */
const firstOf = (tree: Tree, size: number): Tree =>
  buildTree((tree.levels[0] ?? new Uint8Array()).slice(0, size * hashLength))

/** The proof of an entry in the log of `size` entries. */
export const entryProof = (
  { texts, tree }: FiledLog,
  index: number,
  size: number
): InclusionProof & { readonly entry: string } => ({
  index,
  size,
  path: inclusionProof(firstOf(tree, size), index).map(toHex),
  entry: texts[index] ?? ""
})

/** The proof that the newest head extends the log of `size` entries. */
export const extensionOf = ({ tree }: FiledLog, size: number): ReadonlyArray<string> =>
  consistencyProof(tree, size).map(toHex)

/** The places of the entries of a kind, and of a subject if one is named, the first one first. */
export const placesOf = ({ entries }: FiledLog, kind: string, subject?: string): ReadonlyArray<number> =>
  [...entries.entries()].flatMap(([place, entry]) =>
    "kind" in entry && entry.kind === kind && (subject === undefined || entry.subject === subject)
      ? [place]
      : []
  )

/** The document that an entry is about, and its proof. */
export const documentAt = async (log: FiledLog, place: number, size: number) => {
  const entry = log.entries[place]
  if (entry === undefined || !("kind" in entry)) throw new CouldNotLook(`entry ${place} is of no document`)
  const document = await fileOf(log.source, `${logPath}/documents/${entry.sha256}`)
  return { document, log: entryProof(log, place, size) }
}
