/** Reads the entries of a log that are new since an edge, and checks them against tiles and the signed root. */
import { equalBytes, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import type { Checkpoint } from "../../../../../core/proof/checkpoint.ts"
import { type Edge, grown, rootOfEdge } from "../../../../../core/proof/edge.ts"
import { logPath } from "../../../../../core/proof/fetched.ts"
import type { Finding } from "../../../../../core/proof/finding.ts"
import { buildTree, hashLength, leafHash, root, verifyConsistency } from "../../../../../core/proof/merkle.ts"
import type { Reason } from "../../../../../core/proof/reason.ts"
import {
  entriesPath,
  parseEntryBundle,
  type Tile,
  tileAt,
  tilePath,
  tileWidth
} from "../../../../../core/proof/tiles.ts"
import { consistencyOfTiles, consistencyTiles } from "../../../../../core/proof/verifyLog.ts"
import type { Source } from "./source.ts"

export interface NewEntries {
  /** The entries from `edge.size` on. */
  readonly entries: ReadonlyArray<Uint8Array>
  /** The edge of the whole tree, if its root is the signed one. */
  readonly edge: Edge | undefined
  /** The checkpoint does not extend the kept one, whatever the entries say. */
  readonly forked: boolean
  readonly findings: ReadonlyArray<Finding>
}

/** A log that is altered throughout is told by the first of what differs. */
const mostFindings = 100

const hex = (hash: Uint8Array | undefined): string => (hash === undefined ? "nothing" : toHex(hash))

/** The signed head that the log must extend. */
export type SignedHead = Pick<Checkpoint, "root" | "size">

/** Reads what is new. `edge` is of the first entries, which were checked before. */
export const readEntries = async (
  source: Source,
  head: Checkpoint,
  previous: SignedHead | undefined,
  edge: Edge
): Promise<NewEntries> => {
  const findings: Array<Finding> = []
  const entries: Array<Uint8Array> = []
  const first = Math.floor(edge.size / tileWidth)
  let now = edge
  let stands =
    previous === undefined || (previous.size === edge.size && equalBytes(previous.root, rootOfEdge(edge)))
  /** Roots of the tiles of the level below, by index. */
  let below = new Map<number, Uint8Array>()
  for (let index = first; index * tileWidth < head.size; index++) {
    const tile = tileAt(head.size, 0, index)
    if (tile === undefined) break
    const read = await readBundle(source, tile, findings)
    // A head may claim any number of entries: what is behind one that is not served proves nothing, and asking has no end.
    if (read === undefined) break
    const hashes = read.map((entry) => leafHash(entry))
    findings.push(...(await compareTile(source, tile, new Map(hashes.entries()), "entry")))
    if (findings.length >= mostFindings) break
    if (tile.width === tileWidth && hashes.length === tileWidth) below.set(index, rootOf(hashes))
    for (const [at, hash] of hashes.entries()) {
      if (index * tileWidth + at < edge.size) continue
      now = grown(now, hash)
      entries.push(read[at] ?? new Uint8Array())
      if (previous?.size === now.size) stands = equalBytes(previous.root, rootOfEdge(now))
    }
  }
  for (let level = 1; below.size > 0; level++) {
    const above = new Map<number, Uint8Array>()
    for (const [index, nodes] of Map.groupBy(below, ([place]) => Math.floor(place / tileWidth))) {
      const tile = tileAt(head.size, level, index)
      if (tile === undefined) continue
      const expected = new Map(nodes.map(([place, node]) => [place % tileWidth, node]))
      findings.push(...(await compareTile(source, tile, expected, "tile")))
      const bytes = tile.width === tileWidth ? await source.read(`${logPath}/${tilePath(tile)}`) : undefined
      if (bytes?.length === tileWidth * hashLength) above.set(index, root(buildTree(bytes)))
    }
    below = above
  }
  const holds = now.size === head.size && equalBytes(rootOfEdge(now), head.root)
  if (holds && stands) return { entries, edge: now, forked: false, findings }
  const forked = previous !== undefined && !(await extendsPrevious(source, previous, head))
  if (!holds && findings.length === 0) {
    findings.push({
      what: "head",
      where: `${head.size} entries`,
      expected: `root ${toHex(head.root)}, as signed`,
      found: `root ${toHex(rootOfEdge(now))} of the ${now.size} entries that are served`,
      reason: "hash"
    })
  }
  return { entries, edge: undefined, forked, findings }
}

const rootOf = (hashes: ReadonlyArray<Uint8Array>): Uint8Array => {
  const leaves = new Uint8Array(hashes.length * hashLength)
  for (const [at, hash] of hashes.entries()) leaves.set(hash, at * hashLength)
  return root(buildTree(leaves))
}

const readBundle = async (
  source: Source,
  tile: Tile,
  findings: Array<Finding>
): Promise<ReadonlyArray<Uint8Array> | undefined> => {
  const path = `${logPath}/${entriesPath(tile.index, tile.width)}`
  const missing = (problem: string, reason: Reason = "missing") => {
    findings.push({ what: "entries", where: path, expected: `${tile.width} entries`, found: problem, reason })
    return undefined
  }
  const bytes = await source.read(path)
  if (bytes === undefined) return missing("no such file")
  try {
    const entries = parseEntryBundle(bytes)
    return entries.length === tile.width ? entries : missing(`${entries.length} entries`)
  } catch (error) {
    if (error instanceof Malformed) return missing(error.message, error.reason)
    throw error
  }
}

/** Compares a served tile with the hashes that some of its places must have. */
const compareTile = async (
  source: Source,
  tile: Tile,
  expected: ReadonlyMap<number, Uint8Array>,
  what: "entry" | "tile"
): Promise<ReadonlyArray<Finding>> => {
  const path = `${logPath}/${tilePath(tile)}`
  const bytes = await source.read(path)
  if (bytes?.length !== tile.width * hashLength) {
    return [
      {
        what: "tile",
        where: path,
        expected: `${tile.width} hashes`,
        found: bytes === undefined ? "no such file" : `${bytes.length} bytes`,
        reason: bytes === undefined ? "missing" : "form"
      }
    ]
  }
  return [...expected].flatMap(([at, hash]): ReadonlyArray<Finding> => {
    const there = bytes.subarray(at * hashLength, (at + 1) * hashLength)
    if (equalBytes(there, hash)) return []
    return what === "entry"
      ? [
          {
            what,
            where: `entry ${tile.index * tileWidth + at}`,
            expected: `hash ${hex(there)}, as in ${path}`,
            found: `hash ${hex(hash)} of the text that is served`,
            reason: "hash"
          }
        ]
      : [
          {
            what,
            where: `hash ${at} of ${path}`,
            expected: `${hex(hash)}, from the tile below`,
            found: hex(there),
            reason: "hash"
          }
        ]
  })
}

/** True if the tiles prove that the head extends the kept one. */
export const extendsPrevious = async (
  source: Source,
  previous: SignedHead,
  head: Checkpoint
): Promise<boolean> => {
  if (head.size < previous.size) return false
  const tiles = new Map<string, Uint8Array>()
  for (const tile of consistencyTiles(previous.size, head.size)) {
    const bytes = await source.read(`${logPath}/${tilePath(tile)}`)
    if (bytes !== undefined) tiles.set(tilePath(tile), bytes)
  }
  const path = consistencyOfTiles(previous.size, head.size, tiles)
  return (
    path !== undefined &&
    verifyConsistency({
      firstSize: previous.size,
      firstRoot: previous.root,
      secondSize: head.size,
      secondRoot: head.root,
      path
    })
  )
}
