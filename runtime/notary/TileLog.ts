/**
 * An append-only log in a folder (C2SP `tlog-tiles`): the lines of `entries`, full tiles and bundles as files under `tile/`, and a signed
 * `checkpoint`. What is not in a full tile yet is in memory. The entries are on disk before the head that commits to them is signed.
 */
import { createReadStream } from "node:fs"
import { type FileHandle, open, readFile, stat, truncate, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Option, Schema, Stream } from "effect"
import { sha256 } from "../../core/process/sha256.ts"
import { concat, equalBytes, Malformed, utf8 } from "../../core/proof/bytes.ts"
import {
  checkpointText,
  noteText,
  parseCheckpointText,
  parseNote,
  signatureLine,
  type Verifier,
  verifyNote
} from "../../core/proof/checkpoint.ts"
import { hashLength, leafHash, nodeHash } from "../../core/proof/merkle.ts"
import {
  entriesPath,
  entryBundle,
  parseTilePath,
  type Tile,
  tileNodes,
  tilePath,
  tileWidth
} from "../../core/proof/tiles.ts"
import { type DiskError, makeFolder, onDisk, replaceFile } from "../outside/disk.ts"

/** The key of the log. */
export interface LogSigner {
  readonly verifier: Verifier
  readonly sign: (message: Uint8Array) => Uint8Array
}

export interface LogHead {
  readonly size: number
  readonly root: Uint8Array
  /** The signed checkpoint. */
  readonly note: string
}

/** Levels of nodes that a tile spans. */
const tileHeight = 8

const emptyRoot = sha256(new Uint8Array())

/** The entries do not extend the head that was signed: a copy of an earlier time, or a changed one. */
export class LogDamaged extends Schema.TaggedError<LogDamaged>()("LogDamaged", { message: Schema.String }) {}

export interface TileLog {
  readonly head: () => LogHead
  /**
   * Appends entries, each a line, and publishes the head over them: both are on disk when it returns. One call at a time. After a
   * failure it takes no more, since nobody knows what is on the disk.
   */
  readonly append: (entries: ReadonlyArray<string>) => Effect.Effect<void, DiskError>
  /** A tile or a bundle by the path after `tile/`; none where the log has none. */
  readonly tile: (path: string) => Effect.Effect<Option.Option<Uint8Array>, DiskError>
}

/** A file that tiles and bundles are made of, still to be written. */
interface FullTile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** The root of a full tile: one node, eight levels up. */
const above = (hashes: ReadonlyArray<Uint8Array>): Uint8Array => {
  let level = hashes
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, n) =>
      nodeHash(level[2 * n] ?? emptyRoot, level[2 * n + 1] ?? emptyRoot, sha256)
    )
  return level[0] ?? emptyRoot
}

/** The tree's right edge: the tile of each level that is not full, and the entries of the bundle that is not. */
class Edge {
  size = 0
  readonly tiles: Array<Array<Uint8Array>> = [[]]
  entries: Array<Uint8Array> = []

  /** Adds an entry; returns the tiles and the bundle that it fills. */
  add(entry: Uint8Array): ReadonlyArray<FullTile> {
    const full: Array<FullTile> = []
    this.entries.push(entry)
    this.size++
    if (this.entries.length === tileWidth) {
      full.push({
        path: entriesPath(this.size / tileWidth - 1, tileWidth),
        bytes: entryBundle(this.entries)
      })
      this.entries = []
    }
    this.push(0, leafHash(entry, sha256), full)
    return full
  }

  root(): Uint8Array {
    if (this.size === 0) return emptyRoot
    const top = Math.ceil(Math.log2(this.size))
    return tileNodes(this.size, (tile) => this.bytesOf(tile))(top, 0)
  }

  /** The hashes of a tile at the edge. */
  bytesOf({ level, width }: Tile): Uint8Array {
    return concat(...(this.tiles[level] ?? []).slice(0, width))
  }

  private push(level: number, hash: Uint8Array, full: Array<FullTile>): void {
    const tile = this.tiles[level] ?? []
    this.tiles[level] = tile
    tile.push(hash)
    if (tile.length < tileWidth) return
    const index = this.size / 2 ** (tileHeight * (level + 1)) - 1
    full.push({ path: tilePath({ level, index, width: tileWidth }), bytes: concat(...tile) })
    this.tiles[level] = []
    this.push(level + 1, above(tile), full)
  }
}

const entriesIn = (folder: string): string => join(folder, "entries")
const checkpointIn = (folder: string): string => join(folder, "checkpoint")

/** Creates an empty log in a folder. */
export const createTileLog = Effect.fnUntraced(function* (folder: string, signer: LogSigner) {
  yield* onDisk(() => writeFile(entriesIn(folder), "", { flag: "wx", mode: 0o600 }))
  yield* replaceFile(checkpointIn(folder), headOf(new Edge(), signer).note)
})

/** Opens the log until the scope closes; `see` is given each entry in its order, and may throw `Malformed`. */
export const openTileLog = Effect.fnUntraced(function* (
  folder: string,
  signer: LogSigner,
  see: (entry: string) => void
) {
  const signed = yield* signedHead(checkpointIn(folder), signer)
  const edge = new Edge()
  const isExtended = yield* readEntries(folder, edge, signed, see)
  if (!isExtended)
    return yield* new LogDamaged({
      message: `${entriesIn(folder)} does not have the ${signed.size} entries that the notary has signed; restore its newest copy`
    })
  const file = yield* Effect.acquireRelease(
    onDisk(() => open(entriesIn(folder), "a", 0o600)),
    (handle) => Effect.ignore(onDisk(() => handle.close()))
  )
  let newest = signed
  let isBroken = false
  const publish = Effect.gen(function* () {
    const head = headOf(edge, signer)
    yield* replaceFile(checkpointIn(folder), head.note)
    newest = head
  })
  // Entries of a process that died before it signed the head over them.
  if (edge.size > signed.size) yield* publish

  const append = Effect.fnUntraced(function* (entries: ReadonlyArray<string>) {
    yield* onDisk(() => appendLines(file, entries))
    for (const entry of entries) yield* writeTiles(folder, edge.add(utf8(entry)))
    yield* publish
  })
  const log: TileLog = {
    head: () => newest,
    append: (entries) =>
      isBroken
        ? onDisk(() => Promise.reject(new Error("an earlier entry could not be written; restart the notary")))
        : Effect.tapError(append(entries), () =>
            Effect.sync(() => {
              isBroken = true
            })
          ),
    tile: (path) => tileOf(folder, edge, path)
  }
  return log
})

const appendLines = async (file: FileHandle, entries: ReadonlyArray<string>): Promise<void> => {
  await file.writeFile(entries.map((entry) => `${entry}\n`).join(""))
  await file.sync()
}

/** Reads all entries into the edge. Returns whether they extend the signed head. */
const readEntries = Effect.fnUntraced(function* (
  folder: string,
  edge: Edge,
  signed: LogHead,
  see: (entry: string) => void
) {
  const file = entriesIn(folder)
  let isExtended = signed.size === 0
  let length = 0
  const damaged = (error: unknown) =>
    new LogDamaged({
      message: `${file}, line ${edge.size + 1}: ${error instanceof Error ? error.message : String(error)}`
    })
  const take = (line: string): ReadonlyArray<FullTile> => {
    see(line)
    const full = edge.add(utf8(line))
    if (edge.size === signed.size) isExtended = equalBytes(edge.root(), signed.root)
    length += Buffer.byteLength(line) + 1
    return full
  }
  yield* Stream.fromAsyncIterable(linesOf(file), damaged).pipe(
    Stream.runForEach((lines) =>
      Effect.try({ try: () => lines.flatMap(take), catch: damaged }).pipe(
        Effect.flatMap((full) => writeTiles(folder, full))
      )
    )
  )
  // A crash cut the last line off: no head was signed over it.
  if ((yield* onDisk(() => stat(file))).size > length) yield* onDisk(() => truncate(file, length))
  return isExtended
})

/** The whole lines of a file, as many as a read brings. */
async function* linesOf(file: string): AsyncGenerator<ReadonlyArray<string>> {
  let pending = Buffer.alloc(0)
  for await (const chunk of createReadStream(file)) {
    const bytes = Buffer.concat([pending, chunk])
    const end = bytes.lastIndexOf(newline) + 1
    pending = bytes.subarray(end)
    if (end > 0) yield bytes.toString("utf8", 0, end - 1).split("\n")
  }
}

const newline = 0x0a

const headOf = (edge: Edge, { sign, verifier }: LogSigner): LogHead => {
  const root = edge.root()
  const text = checkpointText({ origin: verifier.name, size: edge.size, root })
  return { size: edge.size, root, note: noteText(text, [signatureLine(verifier, sign(utf8(text)))]) }
}

const signedHead = Effect.fnUntraced(function* (file: string, { verifier }: LogSigner) {
  const note = yield* onDisk(() => readFile(file, "utf8"))
  return yield* Effect.try({
    try: (): LogHead => {
      const parsed = parseNote(note)
      if ((verifyNote(parsed, [verifier]) ?? []).length === 0)
        throw new Malformed("is not signed by this notary's key")
      const { root, size } = parseCheckpointText(parsed.text)
      return { size, root, note }
    },
    catch: (error) =>
      new LogDamaged({ message: `${file}: ${error instanceof Error ? error.message : String(error)}` })
  })
})

const exists = (file: string) => Effect.isSuccess(onDisk(() => stat(file)))

/** Full tiles never change: those that are there stay. */
const writeTiles = (folder: string, tiles: ReadonlyArray<FullTile>) =>
  Effect.forEach(
    tiles,
    Effect.fnUntraced(function* ({ bytes, path }) {
      const file = join(folder, path)
      if (yield* exists(file)) return
      yield* onDisk(() => makeFolder(dirname(file)))
      yield* replaceFile(file, bytes)
    }),
    { discard: true }
  )

const tileOf = Effect.fnUntraced(function* (folder: string, edge: Edge, path: string) {
  const place = parseTilePath(path)
  if (place === undefined) return Option.none()
  const { index, level, width } = place
  const isEntries = level === "entries"
  const full = Math.floor(edge.size / tileWidth ** (isEntries ? 1 : level + 1))
  if (index > full) return Option.none()
  if (index === full) {
    const hashes = isEntries ? edge.entries : (edge.tiles[level] ?? [])
    if (width > hashes.length) return Option.none()
    return Option.some(isEntries ? entryBundle(hashes.slice(0, width)) : concat(...hashes.slice(0, width)))
  }
  // Of a full bundle the parts are gone, as C2SP allows; a part of a tile is its beginning.
  if (isEntries && width < tileWidth) return Option.none()
  const file = isEntries ? entriesPath(index, tileWidth) : tilePath({ level, index, width: tileWidth })
  const bytes = yield* onDisk(() => readFile(join(folder, file)))
  return Option.some<Uint8Array>(isEntries ? bytes : bytes.subarray(0, width * hashLength))
})
