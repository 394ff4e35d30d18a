/**
 * The static form of a log (C2SP `tlog-tiles`): tiles of 256 hashes and bundles of 256 entries, as plain files that anyone
 * can mirror. A full tile never changes.
 */
import { Malformed } from "./bytes.ts"
import { hashLength, type NodeAt, nodeHash, type Tree } from "./merkle.ts"

/** Hashes per full tile, and entries per full bundle. */
export const tileWidth = 256
const tileHeight = 8

export interface Tile {
  /** Tile level: its hashes are nodes of tree level 8 * level. */
  readonly level: number
  readonly index: number
  /** Number of hashes, 1 to 256. */
  readonly width: number
}

const place = (index: number): string => {
  const groups = String(index)
    .padStart(Math.ceil(String(index).length / 3) * 3, "0")
    .match(/.{3}/g)
  return (groups ?? []).map((group, at, all) => (at === all.length - 1 ? group : `x${group}`)).join("/")
}

const partial = (width: number): string => (width === tileWidth ? "" : `.p/${width}`)

/** Path of a hash tile under the log's URL, for example `tile/0/x001/x234/067` or `tile/0/000.p/30`. */
export const tilePath = (tile: Tile): string =>
  `tile/${tile.level}/${place(tile.index)}${partial(tile.width)}`

/** Path of an entry bundle, for example `tile/entries/000.p/30`. */
export const entriesPath = (index: number, width: number): string =>
  `tile/entries/${place(index)}${partial(width)}`

/** Parses the path after `tile/`: a hash tile, or an entry bundle with level `entries`. Undefined if it is neither. */
export const parseTilePath = (
  path: string
): { readonly level: number | "entries"; readonly index: number; readonly width: number } | undefined => {
  const match =
    /^(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(25[0-5]|2[0-4]\d|1\d\d|[1-9]\d?))?$/.exec(path)
  if (match === null) return undefined
  const index = Number((match[2] ?? "").replaceAll(/[x/]/g, ""))
  const width = match[3] === undefined ? tileWidth : Number(match[3])
  // Each tile has one path: no leading zero groups.
  if (!Number.isSafeInteger(index) || place(index) !== match[2]) return undefined
  return { level: match[1] === "entries" ? "entries" : Number(match[1]), index, width }
}

/** The tile at `level` and `index`, as far as a log of `size` entries fills it; undefined if empty. */
export const tileAt = (size: number, level: number, index: number): Tile | undefined => {
  const filled = Math.floor(size / tileWidth ** level) - index * tileWidth
  return filled <= 0 ? undefined : { level, index, width: Math.min(filled, tileWidth) }
}

/** All tiles of a log of `size` entries, including partial ones. */
export const tilesOf = (size: number): Array<Tile> => {
  const tiles: Array<Tile> = []
  for (let level = 0; Math.floor(size / tileWidth ** level) > 0; level++) {
    for (let index = 0; ; index++) {
      const tile = tileAt(size, level, index)
      if (tile === undefined) break
      tiles.push(tile)
    }
  }
  return tiles
}

/** A tile's bytes, sliced from the stored level of the tree. */
export const tileBytes = (tree: Tree, tile: Tile): Uint8Array => {
  const stored = tileAt(tree.size, tile.level, tile.index)
  if (stored === undefined || tile.width > stored.width) throw new RangeError(`no tile ${tilePath(tile)}`)
  const from = tile.index * tileWidth * hashLength
  return (tree.levels[tile.level * tileHeight] ?? new Uint8Array()).subarray(
    from,
    from + tile.width * hashLength
  )
}

/**
 * The nodes of a log of `size` entries, from its tiles. The bytes that `tileOf` returns need no trust, because proofs
 * built from these nodes are checked against a signed root.
 */
export const tileNodes = (size: number, tileOf: (tile: Tile) => Uint8Array): NodeAt => {
  const node: NodeAt = (level, index) => {
    if ((index + 1) * 2 ** level <= size) return complete(level, index)
    const left = node(level - 1, 2 * index)
    return (2 * index + 1) * 2 ** (level - 1) < size ? nodeHash(left, node(level - 1, 2 * index + 1)) : left
  }
  const complete: NodeAt = (level, index) => {
    const below = level % tileHeight
    if (below > 0) return nodeHash(complete(level - 1, 2 * index), complete(level - 1, 2 * index + 1))
    const tile = tileAt(size, level / tileHeight, Math.floor(index / tileWidth))
    if (tile === undefined) throw new RangeError(`no node ${index} at level ${level} in ${size} entries`)
    const bytes = tileOf(tile)
    if (bytes.length !== tile.width * hashLength) {
      throw new Malformed(`${tilePath(tile)} has ${bytes.length} bytes, not ${tile.width * hashLength}`)
    }
    const at = (index % tileWidth) * hashLength
    return bytes.subarray(at, at + hashLength)
  }
  return node
}

/** The tiles that `make` reads when run over the nodes of a log of `size` entries. */
export const tilesNeeded = (size: number, make: (nodeAt: NodeAt) => unknown): Array<Tile> => {
  const needed = new Map<string, Tile>()
  make(
    tileNodes(size, (tile) => {
      needed.set(tilePath(tile), tile)
      return new Uint8Array(tile.width * hashLength)
    })
  )
  return [...needed.values()]
}

/** An entry bundle: each entry is preceded by its length, 16 bits big-endian. */
export const entryBundle = (entries: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bundle = new Uint8Array(entries.reduce((length, entry) => length + 2 + entry.length, 0))
  let at = 0
  for (const entry of entries) {
    if (entry.length > 0xffff)
      throw new RangeError(`a log entry must have at most 65,535 bytes, not ${entry.length}`)
    bundle[at] = entry.length >> 8
    bundle[at + 1] = entry.length & 255
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}

/** Parses the entries of a bundle. Throws `Malformed` if it is cut off. */
export const parseEntryBundle = (bundle: Uint8Array): Array<Uint8Array> => {
  const entries: Array<Uint8Array> = []
  for (let at = 0; at < bundle.length; ) {
    const length = ((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0)
    if (at + 2 + length > bundle.length) throw new Malformed("the entry bundle is cut off")
    entries.push(bundle.slice(at + 2, at + 2 + length))
    at += 2 + length
  }
  return entries
}
