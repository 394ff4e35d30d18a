/**
 * The run that observed a value, as the evidence beside a bundle has it: the value's row among the rows of the run, the run's leaf in the tree of its
 * hour, the hour's document, and that document's entry in the log.
 */
import { fromHex, Malformed } from "./bytes.ts"
import { type Check, check, demand, notChecked } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { demandAbout, parseEntry } from "./entry.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import type { Leaf } from "./leaf.ts"
import { demandRow, type RowProof } from "./row.ts"
import { parseRunLeaf, type RanLeaf } from "./runLeaf.ts"
import { checkRunOf, lotOf, parseRuns, type Runs, runsKind, runsSubject } from "./runs.ts"
import * as s from "./shape.ts"

/**
 * The proof of a run: `index`, `size` and `path` are of its leaf in the hour's tree; `log` has those of the document's entry in the
 * log.
 */
export interface RunProof extends InclusionProof {
  /** The run's leaf, as canonical text. */
  readonly leaf: string
  /** The hour's document, as canonical text. */
  readonly document: string
  /** Under the bundle's checkpoint. */
  readonly log: InclusionProof & { readonly entry: string }
}

export interface Observed extends RunProof {
  /** The value's row among the rows of the run. */
  readonly row: RowProof
  /** Other runs that gave the very same rows, through other notaries. */
  readonly again?: ReadonlyArray<RunProof>
  /** Signed statements of notaries that exchanges of these runs name. */
  readonly notes?: ReadonlyArray<string>
}

const runProofShape: s.Shape<RunProof> = {
  ...proofShape,
  leaf: s.text,
  document: s.text,
  log: s.nested("the run's place in the log", { ...proofShape, entry: s.text })
}

export const observedShape: s.Shape<Observed> = {
  ...runProofShape,
  row: s.nested("the row of the value", { index: s.count, path: s.hashes }),
  again: s.optional(s.listOf(s.nested("a run that gave the same rows", runProofShape))),
  notes: s.optional(s.listOf(s.text))
}

/**
 * The run, which took place, the hour in whose tree its leaf is, and the entry that is about that hour's document. The caller looks
 * whether the log has the entry. Throws `Malformed`.
 */
export const readRunProof = ({ document, leaf, log, ...proof }: RunProof) => {
  const hour = parseRuns(document)
  demand(
    hour.tree_size === proof.size && isIncluded(leaf, proof, fromHex(hour.root, 32)),
    `the inclusion proof does not lead from the run's leaf to the hour's root ${hour.root} of ${hour.tree_size} leaves`
  )
  const entry = parseEntry(log.entry)
  demandAbout(
    entry,
    { kind: runsKind, subject: runsSubject(hour), simulated: hour.simulated, text: document },
    "the hour's document"
  )
  const run = parseRunLeaf(leaf)
  if (run.outcome === "skipped") throw new Malformed("the leaf is of a run that did not take place")
  checkRunOf(hour, run)
  return { run, hour, entry }
}

/** Throws `Malformed` unless the run gave the value. */
const demandGave = (run: RanLeaf, value: Leaf, row: RowProof): void => {
  if (value.kind === "absent") throw new Malformed("a day without a reading has no run that gave it")
  demand(value.simulated === run.simulated, "the run and the value disagree on whether they are simulated")
  demandRow(value, run, row)
}

/** When the log was told of the hour; nothing of a simulated one, which never is late. */
const toldWhen = ({ late, simulated }: Runs): string =>
  simulated === true
    ? ""
    : late
      ? ", later than within ten minutes of its end"
      : ", within ten minutes of its end"

/** By which draw the run had its notary; nothing where the log does not have what it was drawn from. */
const drawnHow = (hour: Runs, run: RanLeaf): string => {
  const from = lotOf(hour, run)
  return from === undefined ? "" : `; its notary is the one of ${from.length} that the lot fell on`
}

/** The same of a run whose hour is in the log under the checkpoint. Throws `Malformed`. */
const underHead = (proof: RunProof, { root, size }: Checkpoint) => {
  const read = readRunProof(proof)
  demand(
    proof.log.size === size && isIncluded(proof.log.entry, proof.log, root),
    "the inclusion proof does not lead from the hour's entry to the checkpoint's root"
  )
  return read
}

/** The runs that gave the value: the one that observed it, and others with the very same rows. Throws `Malformed`. */
export const runsOf = (
  observed: Observed,
  checkpoint: Checkpoint,
  value: Leaf
): readonly [RanLeaf, ...Array<RanLeaf>] => {
  const { run: first } = underHead(observed, checkpoint)
  demandGave(first, value, observed.row)
  const others = (observed.again ?? []).map((proof) => underHead(proof, checkpoint).run)
  for (const { plugin, rows_root, run } of others)
    demand(
      plugin === first.plugin && rows_root === first.rows_root && run !== first.run,
      `run ${run} is not another one that gave the rows of run ${first.run}`
    )
  return [first, ...others]
}

/** Checks that a run that the log tells of gave the value. */
export const checkObserved = (observed: Observed, checkpoint: Checkpoint, value: Leaf | undefined): Check => {
  const name = "observed"
  if (value === undefined) return notChecked(name, "the leaf cannot be read")
  return check(name, () => {
    const { log, row } = observed
    const { hour, run } = underHead(observed, checkpoint)
    demandGave(run, value, row)
    return `run ${run.run} gave this value with the code ${run.code_hash.slice(0, 12)}…; the log says so in entry ${log.index}, of the hour ${hour.hour}${toldWhen(hour)}${drawnHow(hour, run)}`
  })
}
