/** Whether a tree extends the heads that are known of it. */
import { program } from "../process/program.ts"
import { equalBytes, Malformed } from "../proof/bytes.ts"
import { parseCheckpointText, parseNote, type Verifier, verifierOf, verifyNote } from "../proof/checkpoint.ts"
import { type PublishedKey, thumbprint } from "../proof/keys.ts"
import { nodeHash, root, type Sha256, type Tree, treeNodes } from "../proof/merkle.ts"
import type { RememberedHead } from "./HeadMemory.ts"
import type { KnownHead } from "./KnownHeads.ts"

/** The log's keys: verifiers of every head ever signed, and the kids of those that sign at `now` (epoch milliseconds). */
export const logKeysAt = (origin: string, keys: ReadonlyArray<PublishedKey>, now: number) => {
  const own = keys.filter(({ purpose }) => purpose === "log")
  return {
    verifiers: own.map(({ publicKey }) => verifierOf(origin, publicKey)),
    kids: own
      .filter(({ notAfter }) => notAfter === null || now <= Date.parse(notAfter))
      .map(({ publicKey }) => thumbprint(publicKey))
  }
}

/** The root over the first `size` leaves of the tree, from its complete nodes. */
export const rootAt = (tree: Tree, size: number, sha256: Sha256): Uint8Array => {
  if (size === tree.size || size === 0) return root(size === 0 ? { size, levels: [] } : tree, sha256)
  const nodeAt = treeNodes(tree)
  let hash: Uint8Array | undefined
  for (let level = 0, end = size; end > 0; level++, end = Math.floor(end / 2)) {
    if (end % 2 === 0) continue
    const node = nodeAt(level, end - 1)
    hash = hash === undefined ? node : nodeHash(node, hash, sha256)
  }
  return hash ?? root({ size: 0, levels: [] }, sha256)
}

/** Reads a head from its note, which one of the log's keys must have signed. Throws `Malformed`, naming where it is kept. */
export const signedHead = (
  { from, note }: RememberedHead,
  origin: string,
  verifiers: ReadonlyArray<Verifier>
): KnownHead => {
  try {
    const parsed = parseNote(note)
    const checkpoint = parseCheckpointText(parsed.text)
    if (checkpoint.origin !== origin) {
      throw new Malformed(`it is of the log ${checkpoint.origin}, not of ${origin}`)
    }
    if ((verifyNote(parsed, verifiers)?.length ?? 0) === 0) {
      throw new Malformed("no log key of this service signed it")
    }
    return { from, size: checkpoint.size, root: checkpoint.root }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    throw new Malformed(
      `${from} is not a head of this log: ${error.message}; if that copy is damaged, put a whole one in its place (a backup has them in heads/)`
    )
  }
}

/** What an operator can do about it. */
export const repairHint = `Restore a newer backup into an empty database (${program} restore <folder of the backup>), or run: ${program} log repair --from <URL or folder of a mirror>`

/** What is known of the log besides its entries. */
export interface LogEvidence {
  readonly origin: string
  /** Every key that ever signed the log. */
  readonly verifiers: ReadonlyArray<Verifier>
  /** Heads by their signed notes. */
  readonly notes: ReadonlyArray<RememberedHead>
  /** Heads that others have checked. */
  readonly heads: ReadonlyArray<KnownHead>
}

/** How a tree contradicts what is known of the log, in words; undefined if it extends every head. */
export const conflictWith = (
  { name, tree }: { readonly name: string; readonly tree: Tree },
  evidence: LogEvidence,
  sha256: Sha256
): string | undefined => {
  try {
    const signed = evidence.notes.map((one) => signedHead(one, evidence.origin, evidence.verifiers))
    for (const { from, root, size } of [...signed, ...evidence.heads]) {
      if (size > tree.size) {
        return `${from} has ${size} entries, but ${name} has only ${tree.size}, so it is an older copy`
      }
      if (!equalBytes(rootAt(tree, size, sha256), root)) {
        return `${from} has another root for the first ${size} entries than ${name} has: an entry was altered, or this log was continued elsewhere`
      }
    }
    return undefined
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}
