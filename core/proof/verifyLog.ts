/**
 * Verifies that a service's current log extends a kept one, with nothing changed or removed, and that a list of entries
 * is exactly what a checkpoint signs.
 */
import { demandExtends } from "./appendOnly.ts"
import { equalBytes, Malformed, toHex } from "./bytes.ts"
import { type Check, check, demand, notProved, reading } from "./check.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import { type LogEntry, parseEntryBytes } from "./entry.ts"
import { type LogServiceKey, parseKeyDocument } from "./keys.ts"
import { consistencyFrom, inclusionFrom, root, treeOf } from "./merkle.ts"
import { type Tile, tileNodes, tilePath, tilesNeeded } from "./tiles.ts"
import { checkWitnessedSince, signerChecks, type Trust } from "./trust.ts"
import { pinsOf, signersOf } from "./verifyCheckpoint.ts"

export interface LogStatement {
  /** The kept signed checkpoint. */
  readonly kept: string
  /** The currently served signed checkpoint. */
  readonly current: string
  /** The public-key document. */
  readonly keys: unknown
  /** The consistency proof between the two; undefined if it could not be obtained. */
  readonly path: ReadonlyArray<Uint8Array> | undefined
  /** Whom the caller trusts; if no key is given, those that signed the kept checkpoint. */
  readonly trust?: Trust
  /** A given witness must have cosigned the current checkpoint at or after this time. */
  readonly notBefore?: string
}

const kidsOf = (keys: ReadonlyArray<LogServiceKey>): string => keys.map(({ kid }) => kid).join(" and ")

/** Makes every check from the kept checkpoint to the current one. */
export const verifyLog = (log: LogStatement): ReadonlyArray<Check> => {
  const document = reading(
    "key document",
    () => parseKeyDocument(log.keys),
    ({ checkpointOrigin }) => checkpointOrigin
  )
  if (document.value === undefined) return [document.check]
  const keys = document.value
  const sides = [
    ["kept checkpoint", log.kept],
    ["current checkpoint", log.current]
  ] as const
  const [earlier, current] = sides.map(([name, note]) =>
    reading(
      name,
      () => ({ checkpoint: parseCheckpointText(parseNote(note).text), signers: signersOf(note, keys) }),
      ({ checkpoint, signers }) =>
        `${checkpoint.origin}, ${checkpoint.size} entries, root ${toHex(checkpoint.root)}, signed with key ${kidsOf(signers)}`
    )
  )
  const checks: Array<Check> = [earlier, current].flatMap((side) => (side === undefined ? [] : [side.check]))
  if (current?.value !== undefined) {
    const { trust = {} } = log
    checks.push(
      ...signerChecks({ note: log.current, cosignatures: [] }, current.value.signers, keys, {
        ...trust,
        pins: pinsOf(trust.pins, log.kept, keys)
      }),
      ...(log.notBefore === undefined ? [] : [checkWitnessedSince(log.current, log.notBefore, trust)])
    )
  }
  if (earlier?.value === undefined || current?.value === undefined) {
    return [...checks, notProved("append-only", "one of the checkpoints failed", "unavailable")]
  }
  const before = earlier.value.checkpoint
  const now = current.value.checkpoint
  const { path } = log
  checks.push(
    check("append-only", () => {
      demandExtends(before, now, path)
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
  readonly trust?: Trust
}): { readonly checks: ReadonlyArray<Check>; readonly entries: ReadonlyArray<LogEntry> | undefined } => {
  const signed = reading(
    "checkpoint",
    () => {
      const document = parseKeyDocument(log.keys)
      return {
        document,
        signers: signersOf(log.checkpoint, document),
        ...parseCheckpointText(parseNote(log.checkpoint).text)
      }
    },
    ({ origin, signers, size }) => `${origin}, ${size} entries, signed with key ${kidsOf(signers)}`
  )
  if (signed.value === undefined) return { checks: [signed.check], entries: undefined }
  const { document, root: signedRoot, signers, size } = signed.value
  const entries = reading(
    "entries",
    () => {
      demand(
        log.entries.length === size && equalBytes(root(treeOf(log.entries)), signedRoot),
        `the ${log.entries.length} served entries do not match the checkpoint`,
        "hash"
      )
      return log.entries.map(parseEntryBytes)
    },
    () => `the ${size} entries hash to its root`
  )
  const checks = [
    signed.check,
    ...signerChecks({ note: log.checkpoint, cosignatures: [] }, signers, document, log.trust ?? {}),
    entries.check
  ]
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

/** The tiles needed for the inclusion proof of an entry. */
export const inclusionTiles = (size: number, index: number): ReadonlyArray<Tile> =>
  tilesNeeded(size, (nodes) => inclusionFrom(nodes, size, index))

/** Builds the inclusion proof from fetched tiles, keyed by path. Throws `Malformed` if a tile is missing or has the wrong length. */
export const inclusionOfTiles = (
  size: number,
  index: number,
  tiles: ReadonlyMap<string, Uint8Array>
): ReadonlyArray<Uint8Array> => {
  const nodes = tileNodes(size, (tile) => tiles.get(tilePath(tile)) ?? new Uint8Array())
  return inclusionFrom(nodes, size, index)
}
