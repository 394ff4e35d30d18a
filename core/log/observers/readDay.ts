/**
 * What another operator published of a day: his head by the key that ours named, the day's batch under it, and all leaves of the
 * batch. Nothing that he sends is believed before it leads to that head.
 */
import { Array as Arr, Effect } from "effect"
import { isComparable, type Published } from "../../proof/agreementLeaf.ts"
import { demandExtends } from "../../proof/appendOnly.ts"
import { checkLeafOf } from "../../proof/batch.ts"
import { equalBytes, fromHex, fromUtf8, Malformed, toHex, utf8 } from "../../proof/bytes.ts"
import {
  type Checkpoint,
  parseCheckpointText,
  parseNote,
  type Verifier,
  verifyNote
} from "../../proof/checkpoint.ts"
import { type BatchEntry, isBatch, parseEntryBytes } from "../../proof/entry.ts"
import { leavesPath, logPath } from "../../proof/fetched.ts"
import { compareLeaves, type Leaf, parseLeaf, type SeriesName } from "../../proof/leaf.ts"
import { GrowingRoot, leafHash, verifyInclusion } from "../../proof/merkle.ts"
import { entriesPath, parseEntryBundle, type Tile, tileAt, tilePath, tileWidth } from "../../proof/tiles.ts"
import {
  consistencyOfTiles,
  consistencyTiles,
  inclusionOfTiles,
  inclusionTiles
} from "../../proof/verifyLog.ts"
import { sha256 } from "../leaves.ts"
import { ObserverTrouble } from "./Observers.ts"

/** A value of an observer, and the RFC 9162 hash of its leaf. */
export interface RemoteValue extends Published {
  readonly leaf_hash: string
}

/** What an observer published of a day. */
export interface RemoteDay {
  readonly head: Checkpoint
  /** The head as it was signed. */
  readonly note: string
  readonly batch_root: string
  /** By `seriesKey`. */
  readonly values: ReadonlyMap<string, RemoteValue>
}

/** Reads a file; undefined where there is none. */
export type ReadFile = (path: string, most: number) => Effect.Effect<Uint8Array | undefined, ObserverTrouble>

export const seriesKey = ({ metric, source, symbol }: SeriesName): string =>
  JSON.stringify([symbol, metric, source])

/** A checkpoint with far more signatures than a note must be able to have. */
const longestNote = 128 * 1024
const tileBytes = tileWidth * 32
const longestBundle = tileWidth * (2 + 65_535)
const longestLeaves = 64 * 1024 ** 2
/** Of all files of one day together. */
const mostBytes = 96 * 1024 ** 2
/** Bundles of entries that are looked through for a batch, from the newest on: 5,000 entries, three months of them. */
const mostBundles = 20
/** Leaves that are read in one turn of the event loop. */
const leavesAtOnce = 100

const silent = (why: string) => new ObserverTrouble({ state: "silent", why })
const invalid = (why: string) => new ObserverTrouble({ state: "invalid", why })

/** Runs what reads the observer's bytes. */
const reading = <A>(what: string, work: () => A): Effect.Effect<A, ObserverTrouble> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      if (error instanceof Malformed) return Effect.fail(invalid(`${what}: ${error.message}`))
      throw error
    }
  })

/** The same, in which the files of a day share one limit of bytes. */
const limited = (read: ReadFile): ReadFile => {
  let left = mostBytes
  return Effect.fnUntraced(function* (path, most) {
    const bytes = yield* read(path, Math.min(most, left))
    left -= bytes?.length ?? 0
    return bytes
  })
}

const readTiles = Effect.fnUntraced(function* (read: ReadFile, tiles: ReadonlyArray<Tile>) {
  const files = new Map<string, Uint8Array>()
  for (const tile of tiles) {
    const path = tilePath(tile)
    const bytes = yield* read(`${logPath}/${path}`, tileBytes)
    if (bytes === undefined) return yield* invalid(`its log lacks ${path}`)
    files.set(path, bytes)
  }
  return files
})

/** The newest head, signed by the key. */
export const readHead = Effect.fnUntraced(function* (read: ReadFile, key: Verifier) {
  const bytes = yield* read(`${logPath}/checkpoint`, longestNote)
  if (bytes === undefined) return yield* silent("its log is still empty")
  return yield* reading("its head", () => {
    const note = fromUtf8(bytes)
    const parsed = parseNote(note)
    const head = parseCheckpointText(parsed.text)
    if (head.origin !== key.name) throw new Malformed(`it is of the log ${head.origin}`)
    if ((verifyNote(parsed, [key])?.length ?? 0) === 0)
      throw new Malformed("the key that OBSERVERS names did not sign it")
    return { head, note }
  })
})

/** Fails unless the head extends the one that was read before. */
const requireGrowth = Effect.fnUntraced(function* (read: ReadFile, head: Checkpoint, previous: Checkpoint) {
  const tiles = yield* readTiles(read, consistencyTiles(previous.size, head.size))
  yield* reading("its head", () =>
    demandExtends(previous, head, consistencyOfTiles(previous.size, head.size, tiles))
  )
})

/** Entries of other versions than ours are passed over. */
const batchIn = (bytes: Uint8Array): BatchEntry | undefined => {
  try {
    const entry = parseEntryBytes(bytes)
    return isBatch(entry) ? entry : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** The place of the batch of a day among the entries, not proved yet. */
const findBatch = Effect.fnUntraced(function* (read: ReadFile, { size }: Checkpoint, day: string) {
  const last = Math.floor((size - 1) / tileWidth)
  for (let index = last; index >= 0 && index > last - mostBundles; index--) {
    const tile = tileAt(size, 0, index)
    if (tile === undefined) break
    const path = `${logPath}/${entriesPath(index, tile.width)}`
    const bytes = yield* read(path, longestBundle)
    if (bytes === undefined) return yield* invalid(`its log lacks ${path}`)
    const entries = yield* reading("its entries", () => parseEntryBundle(bytes))
    for (const [at, text] of [...entries.entries()].reverse()) {
      const entry = batchIn(text)
      if (entry === undefined) continue
      if (entry.days[0] === day) return { entry, text, place: index * tileWidth + at }
      if (entry.days[0] < day) return yield* silent(`its log has no batch of ${day} yet`)
    }
  }
  return yield* silent(`its log has no batch of ${day}`)
})

/** Fails unless the entry is at its place under the head. */
const requireIncluded = Effect.fnUntraced(function* (
  read: ReadFile,
  { root, size }: Checkpoint,
  text: Uint8Array,
  place: number
) {
  const tiles = yield* readTiles(read, inclusionTiles(size, place))
  const isIncluded = yield* reading("its tiles", () => {
    const path = inclusionOfTiles(size, place, tiles)
    return verifyInclusion({ leaf: leafHash(text, sha256), index: place, size, path, root })
  })
  if (!isIncluded) return yield* invalid(`its entry ${place} is not in the log of its head`)
})

/** The comparable values of a batch, all of whose leaves must be those that its entry commits to. */
const readValues = Effect.fnUntraced(function* (read: ReadFile, entry: BatchEntry) {
  const [day] = entry.days
  const bytes = yield* read(leavesPath(day), longestLeaves)
  if (bytes === undefined) return yield* invalid(`it does not serve the leaves of ${day}`)
  const lines = yield* reading("its leaves", () => fromUtf8(bytes).split("\n"))
  if (lines.pop() !== "") return yield* invalid("the last line of its leaves does not end")
  if (lines.length !== entry.tree_size)
    return yield* invalid(`it serves ${lines.length} leaves of ${day}, and its batch has ${entry.tree_size}`)
  const root = new GrowingRoot(sha256)
  const values = new Map<string, RemoteValue>()
  let before: Leaf | undefined
  for (const some of Arr.chunksOf(lines, leavesAtOnce)) {
    yield* Effect.yieldNow
    yield* reading("its leaves", () => {
      for (const line of some) {
        const leaf = parseLeaf(line)
        checkLeafOf(entry, leaf)
        if (before !== undefined && compareLeaves(before, leaf) >= 0)
          throw new Malformed(`leaf ${root.size} is out of order, or there twice`)
        before = leaf
        const hash = leafHash(utf8(line), sha256)
        root.add(hash)
        if (leaf.kind === "absent" || !isComparable(leaf, day)) continue
        const { as_of, unit, value, value_text } = leaf
        values.set(seriesKey(leaf), {
          as_of,
          unit,
          value,
          ...(value_text === undefined ? {} : { value_text }),
          leaf_hash: toHex(hash)
        })
      }
    })
  }
  if (!equalBytes(root.root, fromHex(entry.root, 32)))
    return yield* invalid(`its leaves of ${day} do not hash to the root of its batch`)
  return values
})

/**
 * Reads a day. `previous` is the newest head that was read before, which the new one must extend. The log must be `simulated` exactly if
 * ours is.
 */
export const readDay = Effect.fn("observers.readDay")(function* (
  file: ReadFile,
  key: Verifier,
  day: string,
  previous: Checkpoint | undefined,
  simulated: boolean
) {
  const read = limited(file)
  const { head, note } = yield* readHead(read, key)
  if (previous !== undefined) yield* requireGrowth(read, head, previous)
  const { entry, place, text } = yield* findBatch(read, head, day)
  yield* requireIncluded(read, head, text, place)
  if ((entry.simulated === true) !== simulated)
    return yield* invalid(simulated ? "its log is not that of a demo" : "its log is that of a demo")
  const values = yield* readValues(read, entry)
  return { head, note, batch_root: entry.root, values } satisfies RemoteDay
})
