/**
 * The run that observed a value, as the evidence beside a bundle has it: the value's row among the rows of the run, the run's leaf in the tree of its
 * hour, the hour's document, and that document's entry in the log.
 */
import { fromHex, Malformed } from "./bytes.ts"
import { demand } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { type DocumentEntry, demandAbout, parseEntry } from "./entry.ts"
import { type InclusionProof, isIncluded, proofShape } from "./inclusion.ts"
import { parseJson } from "./json.ts"
import { compareSeries, type Leaf, type RowLeaf } from "./leaf.ts"
import { demandRow, demandRowText, type RowProof } from "./row.ts"
import { parseRunLeaf, type RanLeaf } from "./runLeaf.ts"
import { checkRunOf, parseRuns, type Runs, runsKind, runsSubject } from "./runs.ts"
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

/** A document of the log: its text, and its entry under the bundle's checkpoint. */
export interface LoggedDocument {
  readonly document: string
  readonly log: InclusionProof & { readonly entry: string }
}

/** What changed the row of a day after its run: exactly one of the two. */
export interface Cause {
  /** A document of incidents, one of which was opened or closed then. */
  readonly incidents?: LoggedDocument
  /** Another run of the collector, which gave another reading of the same series and day; `text` is its row. */
  readonly run?: RunProof & { readonly row: RowProof; readonly text: string }
}

export interface Observed extends RunProof {
  /** The value's row among the rows of the run. */
  readonly row: RowProof
  /** The run whose exchanges were read again, where the run says so. */
  readonly rederived?: RunProof
  /** Where the leaf was recorded later than the hour of the run was entered. */
  readonly cause?: Cause
  /** Other runs that gave the very same rows, through other notaries. */
  readonly again?: ReadonlyArray<RunProof>
  /** Signed statements of notaries that exchanges of these runs name. */
  readonly notes?: ReadonlyArray<string>
}

export const loggedShape: s.Shape<LoggedDocument> = {
  document: s.text,
  log: s.nested("the document's place in the log", { ...proofShape, entry: s.text })
}

export const runProofShape: s.Shape<RunProof> = { ...proofShape, ...loggedShape, leaf: s.text }

const rowShape: s.Shape<RowProof> = { index: s.count, path: s.hashes }

export const observedShape: s.Shape<Observed> = {
  ...runProofShape,
  row: s.nested("the row of the value", rowShape),
  rederived: s.optional(s.nested("the run that was derived again", runProofShape)),
  cause: s.optional(
    s.nested<Cause>("what changed the row", {
      incidents: s.optional(s.nested("a document of incidents", loggedShape)),
      run: s.optional(
        s.nested("another run of the day", {
          ...runProofShape,
          row: s.nested("its row", rowShape),
          text: s.text
        })
      )
    })
  ),
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
    `the inclusion proof does not lead from the run's leaf to the hour's root ${hour.root} of ${hour.tree_size} leaves`,
    "hash"
  )
  const entry = parseEntry(log.entry)
  demandAbout(
    entry,
    { kind: runsKind, subject: runsSubject(hour), simulated: hour.simulated, text: document },
    "the hour's document"
  )
  const run = parseRunLeaf(leaf)
  if (run.outcome === "skipped")
    throw new Malformed("the leaf is of a run that did not take place", "contradiction")
  checkRunOf(hour, run)
  return { run, hour, entry }
}

/** A run with the hour that tells of it, and the entry by which the log does. */
export interface LoggedRun {
  readonly run: RanLeaf
  readonly hour: Runs
  readonly entry: DocumentEntry
  /** Place of the entry in the log. */
  readonly index: number
}

/** Throws `Malformed` unless the log has the entry under the checkpoint. */
export const demandUnder = (
  { entry, ...log }: LoggedDocument["log"],
  { root, size }: Checkpoint,
  what: string
): void =>
  demand(
    log.size === size && isIncluded(entry, log, root),
    `the inclusion proof does not lead from the entry of ${what} to the checkpoint's root`,
    "hash"
  )

/** A run whose hour is in the log under the checkpoint. Throws `Malformed`. */
export const runUnder = (proof: RunProof, checkpoint: Checkpoint): LoggedRun => {
  const read = readRunProof(proof)
  demandUnder(proof.log, checkpoint, "the hour")
  return { ...read, index: proof.log.index }
}

/** The run in whose rows the value's row is. Throws `Malformed`. */
export const runWithRow = (observed: Observed, checkpoint: Checkpoint, value: RowLeaf): LoggedRun => {
  const logged = runUnder(observed, checkpoint)
  demand(
    value.simulated === logged.run.simulated,
    "the run and the value disagree on whether they are simulated",
    "contradiction"
  )
  demandRow(value, logged.run, observed.row)
  return logged
}

/** The runs that gave the value: the one that observed it, and others with the very same rows. Throws `Malformed`. */
export const runsOf = (
  observed: Observed,
  checkpoint: Checkpoint,
  value: Leaf
): readonly [RanLeaf, ...Array<RanLeaf>] => {
  if (value.kind === "absent")
    throw new Malformed("a day without a reading has no run that gave it", "contradiction")
  const { run: first } = runWithRow(observed, checkpoint, value)
  const others = (observed.again ?? []).map((proof) => runUnder(proof, checkpoint).run)
  for (const { outcome, plugin, rows_root, run } of others)
    demand(
      plugin === first.plugin && rows_root === first.rows_root && run !== first.run && outcome !== "recheck",
      `run ${run} is not another one that gave the rows of run ${first.run}`,
      "contradiction"
    )
  return [first, ...others]
}

/** The run that a row of another reading of the value's series and day is of, and that row's time. Throws `Malformed`. */
export const otherRunOf = (
  { row, text, ...proof }: NonNullable<Cause["run"]>,
  checkpoint: Checkpoint,
  value: RowLeaf
): LoggedRun => {
  const logged = runUnder(proof, checkpoint)
  demandRowText(text, logged.run, row)
  const read = parseJson(text)
  const [symbol, metric, source, as_of] = Array.isArray(read) ? read : []
  demand(
    [symbol, metric, source, as_of].every((one) => typeof one === "string") &&
      compareSeries({ symbol, metric, source }, value) === 0 &&
      String(as_of).startsWith(`${value.day}T`),
    "the other run's row is not a reading of the same series and day",
    "contradiction"
  )
  return logged
}
