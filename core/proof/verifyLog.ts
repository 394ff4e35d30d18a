/**
 * Verifies that a service's current log extends a kept one, with nothing changed or removed, and that a list of entries
 * is exactly what a checkpoint signs.
 */
import { equalBytes, Malformed, toHex } from "./bytes.ts"
import { type Check, check, demand, notChecked, ownerCheck, type Pins, reading } from "./check.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import { type LogEntry, parseEntryBytes } from "./entry.ts"
import { consistencyFrom, root, treeOf, verifyConsistency } from "./merkle.ts"
import { type Tile, tileNodes, tilePath, tilesNeeded } from "./tiles.ts"
import { checkFresh, signerOf } from "./verifyCheckpoint.ts"

export interface LogStatement {
  /** The kept signed checkpoint. */
  readonly kept: string
  /** The currently served signed checkpoint. */
  readonly current: string
  /** The public-key document. */
  readonly keys: unknown
  /** The consistency proof between the two; undefined if it could not be obtained. */
  readonly path: ReadonlyArray<Uint8Array> | undefined
  readonly pins?: Pins
  /** The current checkpoint must have been signed at or after this time. */
  readonly notBefore?: string
}

/** Makes every check from the kept checkpoint to the current one. */
export const verifyLog = (log: LogStatement): ReadonlyArray<Check> => {
  const sides = [
    ["kept checkpoint", log.kept],
    ["current checkpoint", log.current]
  ] as const
  const [kept, current] = sides.map(([name, note]) =>
    reading(
      name,
      () => {
        const checkpoint = parseCheckpointText(parseNote(note).text)
        return { checkpoint, key: signerOf(note, log.keys) }
      },
      ({ checkpoint, key }) =>
        `${checkpoint.origin}, ${checkpoint.size} entries, root ${toHex(checkpoint.root)}, signed with key ${key.kid}`
    )
  )
  const checks = [kept, current].flatMap((side) => (side === undefined ? [] : [side.check]))
  if (current?.value !== undefined) {
    const { checkpoint, key } = current.value
    checks.push(ownerCheck(key, log.pins ?? [], checkpoint.origin))
    if (log.notBefore !== undefined) checks.push(checkFresh(undefined, log.notBefore))
  }
  if (kept?.value === undefined || current?.value === undefined) {
    return [...checks, notChecked("append-only", "one of the checkpoints failed")]
  }
  const before = kept.value.checkpoint
  const now = current.value.checkpoint
  const { path } = log
  checks.push(
    check("append-only", () => {
      demand(
        before.origin === now.origin,
        `the checkpoints belong to different logs: ${before.origin} and ${now.origin}`
      )
      demand(
        now.size >= before.size,
        `stale: the log shows ${now.size} entries, but you kept ${before.size}; it was rolled back, or this is an old copy`
      )
      demand(
        now.size !== before.size || equalBytes(now.root, before.root),
        `two different roots for ${now.size} entries: history was rewritten`
      )
      demand(
        path !== undefined,
        "no consistency proof could be built from the kept checkpoint to the current one"
      )
      demand(
        verifyConsistency({
          firstSize: before.size,
          firstRoot: before.root,
          secondSize: now.size,
          secondRoot: now.root,
          path
        }),
        `the log of ${now.size} entries does not start with the ${before.size} you kept: history was rewritten`
      )
      return `the first ${before.size} of ${now.size} entries match the kept checkpoint`
    })
  )
  return checks
}

/** Makes every check of a whole log: who signed the checkpoint, and that it signs these entries in this order. */
export const verifyEntries = (log: {
  /** The signed checkpoint. */
  readonly checkpoint: string
  /** The entries' bytes. */
  readonly entries: ReadonlyArray<Uint8Array>
  /** The public-key document. */
  readonly keys: unknown
  readonly pins?: Pins
}): { readonly checks: ReadonlyArray<Check>; readonly entries: ReadonlyArray<LogEntry> | undefined } => {
  const signed = reading(
    "checkpoint",
    () => ({
      key: signerOf(log.checkpoint, log.keys),
      ...parseCheckpointText(parseNote(log.checkpoint).text)
    }),
    ({ key, origin, size }) => `${origin}, ${size} entries, signed with key ${key.kid}`
  )
  if (signed.value === undefined) return { checks: [signed.check], entries: undefined }
  const { key, origin, root: signedRoot, size } = signed.value
  const entries = reading(
    "entries",
    () => {
      demand(
        log.entries.length === size && equalBytes(root(treeOf(log.entries)), signedRoot),
        `the ${log.entries.length} served entries do not match the checkpoint`
      )
      return log.entries.map(parseEntryBytes)
    },
    () => `the ${size} entries hash to its root`
  )
  const checks = [signed.check, ownerCheck(key, log.pins ?? [], origin), entries.check]
  return { checks, entries: entries.value }
}

/** The tiles needed for a consistency proof between two sizes. */
export const consistencyTiles = (first: number, second: number): ReadonlyArray<Tile> =>
  first > second ? [] : tilesNeeded(second, (nodes) => consistencyFrom(nodes, first, second))

/** Builds the consistency proof from fetched tiles, keyed by path; undefined if a tile is missing or has the wrong length. */
export const consistencyOfTiles = (
  first: number,
  second: number,
  tiles: ReadonlyMap<string, Uint8Array>
): ReadonlyArray<Uint8Array> | undefined => {
  if (first > second) return undefined
  try {
    const nodes = tileNodes(second, (tile) => tiles.get(tilePath(tile)) ?? new Uint8Array())
    return consistencyFrom(nodes, first, second)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
