/**
 * The run that observed a value, as a bundle has it: the run's leaf in the tree of its hour, the hour's document, and that
 * document's entry in the log. What the leaf says of the value is another matter than that it is there.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromHex, toHex, utf8 } from "./bytes.ts"
import { isRecord, parseCanonical } from "./canonical.ts"
import { type Check, check, demand, notChecked } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { isBatch, parseEntry } from "./entry.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import * as s from "./shape.ts"

/** `index`, `size` and `path` are of the leaf in the hour's tree; `log` has those of the document's entry in the log. */
export interface Observed extends InclusionProof {
  /** The run's leaf, as canonical text. */
  readonly leaf: string
  /** The hour's document, as canonical text: an object with `root` (hex) and `tree_size`, among others. */
  readonly document: string
  /** Under the bundle's checkpoint. */
  readonly log: InclusionProof & { readonly entry: string }
}

/** The kind of the hour's log entry. */
export const runsKind = "runs"

export const observedShape: s.Shape<Observed> = {
  ...proofShape,
  leaf: s.text,
  document: s.text,
  log: s.nested("the run's place in the log", { ...proofShape, entry: s.text })
}

const treeShape = s.nested("the hour's document", { root: s.hash, tree_size: s.count })

/** Throws `Malformed` unless the leaf is in the hour's tree, and the hour's document in the log under the checkpoint. */
const demandObserved = ({ document, leaf, log, ...proof }: Observed, checkpoint: Checkpoint): void => {
  const hour = parseCanonical(document)
  demand(isRecord(hour), "the hour's document must be an object")
  const tree = { root: hour.root, tree_size: hour.tree_size }
  demand(treeShape.is(tree), "the hour's document must have a root and a tree_size")
  demand(
    tree.tree_size === proof.size && isIncluded(leaf, proof, fromHex(tree.root, 32)),
    `the inclusion proof does not lead from the run's leaf to the hour's root ${tree.root} of ${tree.tree_size} leaves`
  )
  const entry = parseEntry(log.entry)
  demand(
    !isBatch(entry) && entry.kind === runsKind && entry.sha256 === toHex(sha256(utf8(document))),
    "the hour's log entry is not about its document"
  )
  demand(
    log.size === checkpoint.size && isIncluded(log.entry, log, checkpoint.root),
    "the inclusion proof does not lead from the hour's entry to the checkpoint's root"
  )
}

/** Checks where the run's leaf is. What it says is not read here, so a run of another value would stand here as well. */
export const checkObserved = (observed: Observed, checkpoint: Checkpoint): Check => {
  const name = "observed"
  const placed = check(name, () => {
    demandObserved(observed, checkpoint)
    return `run ${observed.index} of ${observed.size} of its hour, entry ${observed.log.index} of the log`
  })
  return placed.ok === true
    ? notChecked(name, `${placed.detail}; that this run read this value is not looked at`)
    : placed
}
