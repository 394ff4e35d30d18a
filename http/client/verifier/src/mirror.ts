/**
 * Keeps a copy of a log as plain files, in the paths that the service serves them under, so that any static host can serve
 * it. Only what was checked is written, each file whole, and the newest checkpoint last: the copy is a whole log at any time.
 */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { sha256 } from "@noble/hashes/sha2.js"
import { archiveKind, archivePath } from "../../../../core/proof/archive.ts"
import { fromUtf8, Malformed, toHex } from "../../../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../../../core/proof/checkpoint.ts"
import { isBatch, type LogEntry, parseEntryBytes } from "../../../../core/proof/entry.ts"
import { keysPath, logPath } from "../../../../core/proof/fetched.ts"
import { isGathered } from "../../../../core/proof/gathered.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import { parseKeyDocument } from "../../../../core/proof/keys.ts"
import { parseDetached } from "../../../../core/proof/ots/codec.ts"
import { heightsOf } from "../../../../core/proof/ots/verify.ts"
import { entriesPath, parseEntryBundle, tileWidth } from "../../../../core/proof/tiles.ts"
import { signersOf } from "../../../../core/proof/verifyCheckpoint.ts"
import { readIfThere, writeWhole } from "./folder.ts"
import { type Look, type Looking, look } from "./monitor/look.ts"
import { type Source, SourceUnreachable } from "./monitor/source.ts"
import { parseState } from "./monitor/state.ts"

const newestPath = `${logPath}/checkpoint`
const changing = new Set([newestPath, keysPath])

/** The state of the mirror, in its folder. */
export const stateName = "mirror.json"

/** Stamps of this many newest checkpoints that get one are asked for again until Bitcoin confirms them. */
const openStamps = 100

/** When a mirror last read its log, in epoch milliseconds; undefined where the folder is none, or of an earlier release. */
export const copiedAt = async (folder: string): Promise<number | undefined> => {
  const text = await readIfThere(join(folder, stateName))
  const last = text === undefined ? undefined : parseState(fromUtf8(text)).looks?.at(-1)
  return last === undefined ? undefined : Date.parse(last.at)
}

/** Copies what is new. Throws `CannotLook`, and can then be called again. */
export const mirror = async (
  remote: Source,
  folder: string,
  how: Pick<Looking, "now" | "random" | "say" | "trust">
): Promise<Look> => {
  const fetched = new Map<string, Uint8Array>()
  const source: Source = {
    name: remote.name,
    read: async (path) => {
      if (changing.has(path)) return remote.read(path)
      const cached = fetched.get(path) ?? (await readIfThere(join(folder, path)))
      if (cached !== undefined) return cached
      const bytes = await remote.read(path)
      if (bytes !== undefined) fetched.set(path, bytes)
      return bytes
    }
  }
  const stateFile = join(folder, stateName)
  const text = await readIfThere(stateFile)
  const result = await look(
    {
      ...how,
      source,
      checked: async (state, isSound) => {
        if (isSound) for (const [path, bytes] of fetched) await writeWhole(join(folder, path), bytes)
        fetched.clear()
        await writeWhole(stateFile, `${JSON.stringify(state, null, 2)}\n`)
      }
    },
    text === undefined ? undefined : parseState(fromUtf8(text))
  )
  // An operator who is late is found, and what there is of the log is copied all the same.
  if (result.state === undefined || result.findings.some(({ what }) => what !== "promise")) return result
  const keys = await remote.read(keysPath)
  const entries = await entriesIn(folder, result.counts.size)
  await copyCheckpoints(remote, folder, entries, keys, how.say)
  await copyArchive(remote, folder, entries, how.say)
  if (keys !== undefined) await writeWhole(join(folder, keysPath), keys)
  await writeWhole(join(folder, newestPath), result.state.checkpoint)
  return result
}

/** The first `size` entries of the log, which are in the folder by now. */
const entriesIn = async (folder: string, size: number): Promise<ReadonlyArray<LogEntry>> => {
  const entries: Array<LogEntry> = []
  for (let index = 0; index * tileWidth < size; index++) {
    const width = Math.min(tileWidth, size - index * tileWidth)
    const bundle = await readIfThere(join(folder, logPath, entriesPath(index, width)))
    if (bundle === undefined) throw new SourceUnreachable(`${folder} lacks ${entriesPath(index, width)}`)
    entries.push(...parseEntryBundle(bundle).map(parseEntryBytes))
  }
  return entries
}

/** Copies the signed heads over these entries that the folder lacks, and their timestamps. */
const copyCheckpoints = async (
  remote: Source,
  folder: string,
  entries: ReadonlyArray<LogEntry>,
  keys: Uint8Array | undefined,
  say: Looking["say"]
): Promise<void> => {
  const size = entries.length
  const pathOf = (of: number) => `${logPath}/checkpoints/${of}`
  const storedSizes = await sizesIn(join(folder, logPath, "checkpoints"))
  for (let at = (storedSizes.at(-1) ?? 0) + 1; at <= size; at++) {
    const note = await remote.read(pathOf(at))
    if (note === undefined || !isHead(fromUtf8(note), at, keys)) continue
    say(`checkpoint ${at} of ${size}`)
    await writeWhole(join(folder, pathOf(at)), note)
    storedSizes.push(at)
  }
  const stampedSizes = storedSizes.filter(
    (at, place) => !entries.slice(storedSizes[place - 1] ?? 0, at).every(isGathered)
  )
  for (const at of stampedSizes.slice(-openStamps)) {
    const path = `${pathOf(at)}.ots`
    const there = await readIfThere(join(folder, path))
    if (there !== undefined && isConfirmed(there)) continue
    const stamp = await remote.read(path)
    if (stamp !== undefined && !(there !== undefined && Buffer.from(there).equals(stamp)))
      await writeWhole(join(folder, path), stamp)
  }
}

/** Copies the archive's files that the folder lacks, as far as everybody may read them, and writes the sums of those that are there. */
const copyArchive = async (
  remote: Source,
  folder: string,
  entries: ReadonlyArray<LogEntry>,
  say: Looking["say"]
): Promise<void> => {
  const sums: Array<string> = []
  for (const entry of entries) {
    if (isBatch(entry) || entry.kind !== archiveKind) continue
    const path = `${archivePath}/${entry.subject}`
    if ((await readIfThere(join(folder, path))) === undefined) {
      say(entry.subject)
      const file = await readable(remote, path)
      if (file === undefined || toHex(sha256(file)) !== entry.sha256) continue
      await writeWhole(join(folder, path), file)
    }
    sums.push(`${entry.sha256}  ${entry.subject}\n`)
  }
  if (sums.length > 0) await writeWhole(join(folder, archivePath, "SHA256SUMS"), sums.sort().join(""))
}

/** A file; undefined where it needs a key, or is larger than one answer may be. */
const readable = (remote: Source, path: string): Promise<Uint8Array | undefined> =>
  remote.read(path).catch((error: unknown) => {
    if (error instanceof SourceUnreachable) return undefined
    throw error
  })

/** The sizes of the checkpoints in a folder, smallest first. */
const sizesIn = async (folder: string): Promise<Array<number>> => {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

const holds = (work: () => boolean): boolean => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

/** True if the note is a head of this size that a key of the log signed. */
const isHead = (note: string, size: number, keys: Uint8Array | undefined): boolean =>
  holds(() => {
    signersOf(note, parseKeyDocument(parseJson(fromUtf8(keys ?? new Uint8Array()))))
    return parseCheckpointText(parseNote(note).text).size === size
  })

/** True if the stamp names a block of any network: what is mirrored is checked by whoever reads the mirror. */
const isConfirmed = (stamp: Uint8Array): boolean =>
  holds(() =>
    (["bitcoin", "bitcoin-regtest-fixture"] as const).some(
      (network) => heightsOf(parseDetached(stamp).timestamp, network).length > 0
    )
  )
