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

/** A run in the log: `index`, `size` and `path` are of the leaf in the hour's tree; `log` has those of the document's entry in the log. */
export interface LoggedRun extends InclusionProof {
  /** The run's leaf, as canonical text. */
  readonly leaf: string
  /** The hour's document, as canonical text. */
  readonly document: string
  /** Under the bundle's checkpoint. */
  readonly log: InclusionProof & { readonly entry: string }
}

export interface Observed extends LoggedRun {
  /** The value's row among the rows of the run. */
  readonly row: RowProof
  /** Other runs that gave the very same rows, through other notaries. */
  readonly again?: ReadonlyArray<LoggedRun>
  /** Signed statements of notaries that exchanges of these runs name. */
  readonly notes?: ReadonlyArray<string>
}

const loggedShape: s.Shape<LoggedRun> = {
  ...proofShape,
  leaf: s.text,
  document: s.text,
  log: s.nested("the run's place in the log", { ...proofShape, entry: s.text })
}

export const observedShape: s.Shape<Observed> = {
  ...loggedShape,
  row: s.nested("the row of the value", { index: s.count, path: s.hashes }),
  again: s.optional(s.listOf(s.nested("a run that gave the same rows", loggedShape))),
  notes: s.optional(s.listOf(s.text))
}

/** The hour in whose tree the leaf is. Throws `Malformed` unless its document is in the log under the checkpoint. */
const hourOf = ({ document, leaf, log, ...proof }: LoggedRun, checkpoint: Checkpoint): Runs => {
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

/** A run that took place, and is in its hour's document. Throws `Malformed`. */
const againOf = (logged: LoggedRun, checkpoint: Checkpoint): RanLeaf => {
  const hour = hourOf(logged, checkpoint)
  const run = parseRunLeaf(logged.leaf)
  if (run.outcome === "skipped") throw new Malformed("a leaf is of a run that did not take place")
  checkRunOf(hour, run)
  return run
}

/** The runs that gave the value: the one that observed it, and others with the very same rows. Throws `Malformed`. */
export const runsOf = (
  observed: Observed,
  checkpoint: Checkpoint,
  value: Leaf
): readonly [RanLeaf, ...Array<RanLeaf>] => {
  const hour = hourOf(observed, checkpoint)
  const first = runOf(observed, value)
  checkRunOf(hour, first)
  const others = (observed.again ?? []).map((logged) => againOf(logged, checkpoint))
  for (const other of others)
    demand(
      other.plugin === first.plugin && other.rows_root === first.rows_root && other.run !== first.run,
      `run ${other.run} is not another one that gave the rows of run ${first.run}`
    )
  return [first, ...others]
}

/** Checks that a run that the log tells of gave the value. */
export const checkObserved = (observed: Observed, checkpoint: Checkpoint, value: Leaf | undefined): Check => {
  const name = "observed"
  if (value === undefined) return notChecked(name, "the leaf cannot be read")
  return check(name, () => {
    const [{ code_hash, run }] = runsOf(observed, checkpoint, value)
    const { hour, late } = parseRuns(observed.document)
    const when = late ? "later than within ten minutes of its end" : "within ten minutes of its end"
    return `run ${run} gave this value with the code ${code_hash.slice(0, 12)}…; the log says so in entry ${observed.log.index}, of the hour ${hour}, ${when}`
  })
}
