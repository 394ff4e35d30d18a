/**
 * The run that observed a value, as a bundle has it: the value's row among the rows of the run, the run's leaf in the tree of its
 * hour, the hour's document, and that document's entry in the log.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromHex, Malformed, toHex, utf8 } from "./bytes.ts"
import { type Check, check, demand, notChecked } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { isBatch, parseEntry } from "./entry.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import type { Leaf } from "./leaf.ts"
import { demandRow, type RowProof } from "./row.ts"
import { parseRunLeaf, type RanLeaf } from "./runLeaf.ts"
import { checkRunOf, parseRuns, type Runs, runsKind, runsSubject } from "./runs.ts"
import * as s from "./shape.ts"

/** `index`, `size` and `path` are of the leaf in the hour's tree; `log` has those of the document's entry in the log. */
export interface Observed extends InclusionProof {
  /** The run's leaf, as canonical text. */
  readonly leaf: string
  /** The value's row among the rows of the run. */
  readonly row: RowProof
  /** The hour's document, as canonical text. */
  readonly document: string
  /** Under the bundle's checkpoint. */
  readonly log: InclusionProof & { readonly entry: string }
}

export const observedShape: s.Shape<Observed> = {
  ...proofShape,
  leaf: s.text,
  row: s.nested("the row of the value", { index: s.count, path: s.hashes }),
  document: s.text,
  log: s.nested("the run's place in the log", { ...proofShape, entry: s.text })
}

/** The hour in whose tree the leaf is. Throws `Malformed` unless its document is in the log under the checkpoint. */
const hourOf = ({ document, leaf, log, ...proof }: Observed, checkpoint: Checkpoint): Runs => {
  const hour = parseRuns(document)
  demand(
    hour.tree_size === proof.size && isIncluded(leaf, proof, fromHex(hour.root, 32)),
    `the inclusion proof does not lead from the run's leaf to the hour's root ${hour.root} of ${hour.tree_size} leaves`
  )
  const entry = parseEntry(log.entry)
  demand(
    !isBatch(entry) &&
      entry.kind === runsKind &&
      entry.subject === runsSubject(hour) &&
      entry.simulated === hour.simulated &&
      entry.sha256 === toHex(sha256(utf8(document))),
    "the hour's log entry is not about its document"
  )
  demand(
    log.size === checkpoint.size && isIncluded(log.entry, log, checkpoint.root),
    "the inclusion proof does not lead from the hour's entry to the checkpoint's root"
  )
  return hour
}

/** The run, which took place and gave the value. Throws `Malformed`. */
const runOf = ({ leaf, row }: Observed, value: Leaf): RanLeaf => {
  const run = parseRunLeaf(leaf)
  if (run.outcome === "skipped") throw new Malformed("the leaf is of a run that did not take place")
  if (value.kind === "absent") throw new Malformed("a day without a reading has no run that gave it")
  demand(value.simulated === run.simulated, "the run and the value disagree on whether they are simulated")
  demandRow(value, run, row)
  return run
}

/** Checks that a run that the log tells of gave the value. */
export const checkObserved = (observed: Observed, checkpoint: Checkpoint, value: Leaf | undefined): Check => {
  const name = "observed"
  if (value === undefined) return notChecked(name, "the leaf cannot be read")
  return check(name, () => {
    const hourDocument = hourOf(observed, checkpoint)
    const leaf = runOf(observed, value)
    checkRunOf(hourDocument, leaf)
    const { hour, late } = hourDocument
    const { code_hash, run } = leaf
    const when = late ? "later than within ten minutes of its end" : "within ten minutes of its end"
    return `run ${run} gave this value with the code ${code_hash.slice(0, 12)}…; the log says so in entry ${observed.log.index}, of the hour ${hour}, ${when}`
  })
}
