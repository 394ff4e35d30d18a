/**
 * What the log has of a value beside its bundle: the keys of the service, the run that gave the value, and what other operators have
 * of it. A document of its own, so that bundles of version 2 stay as they were released.
 */
import { type Agreed, agreedShape } from "./agreed.ts"
import { type InclusionProof, proofShape } from "./inclusion.ts"
import { parseJson } from "./json.ts"
import {
  type LoggedDocument,
  loggedShape,
  type Observed,
  observedShape,
  type RunProof,
  runProofShape
} from "./observed.ts"
import * as s from "./shape.ts"

/** A document of keys (`keysDocument.ts`) with its entry, and the entry's place under the bundle's checkpoint. */
export interface LoggedKeys extends InclusionProof {
  /** The log entry's canonical text. */
  readonly entry: string
  /** The document's canonical text. */
  readonly document: string
}

/** A signed head of the log that extends the bundle's checkpoint. */
export interface LaterHead {
  readonly checkpoint: string
  /** The consistency proof (RFC 9162) of the bundle's checkpoint with it; empty if they have one size. */
  readonly consistency: ReadonlyArray<string>
}

/** What is known of the run that gave a value. */
export interface RunEvidence {
  /** What the members below are under, where the hour of the run was entered after the bundle's checkpoint. */
  readonly head?: LaterHead
  /** The run that observed the value. */
  readonly observed?: Observed
  /** Instead of `observed`: the run, whose rows an earlier release removed. */
  readonly unstored?: RunProof
  /** Instead of `observed`: the first document of runs in the log, which says that it has no run of an earlier hour. */
  readonly first_runs?: LoggedDocument
  /** The schedule of the day of the run. */
  readonly schedule?: LoggedDocument
  /** Instead of `schedule`: the first schedule in the log, which says that it has none of an earlier day. */
  readonly first_schedule?: LoggedDocument
}

/** Instead of the document of keys: the first one in the log, under a head that extends the bundle's checkpoint. */
export interface FirstKeys extends LoggedDocument {
  readonly head: LaterHead
}

/** Each under the checkpoint of the bundle, whoever gathered it. What is absent is said to be so by the checks of the bundle. */
export interface Evidence extends RunEvidence {
  /** The newest document of keys under the checkpoint. */
  readonly logged_keys?: LoggedKeys
  readonly first_keys?: FirstKeys
  /** What other operators have of the value. */
  readonly agreement?: Agreed
}

/** As a service answers it, and as it is saved. */
export interface EvidenceDocument extends Evidence {
  readonly v: typeof evidenceTag
}

export const evidenceTag = "service-evidence-v1"

export const loggedKeysShape: s.Shape<LoggedKeys> = { ...proofShape, entry: s.text, document: s.text }

const laterHeadShape: s.Shape<LaterHead> = { checkpoint: s.text, consistency: s.hashes }

export const firstKeysShape: s.Shape<FirstKeys> = {
  ...loggedShape,
  head: s.nested<LaterHead>("head", laterHeadShape)
}

export const runEvidenceShape: s.Shape<RunEvidence> = {
  head: s.optional(s.nested<LaterHead>("head", laterHeadShape)),
  observed: s.optional(s.nested("observed", observedShape)),
  unstored: s.optional(s.nested("unstored", runProofShape)),
  first_runs: s.optional(s.nested("first_runs", loggedShape)),
  schedule: s.optional(s.nested("schedule", loggedShape)),
  first_schedule: s.optional(s.nested("first_schedule", loggedShape))
}

const evidenceShape: s.Shape<EvidenceDocument> = {
  ...runEvidenceShape,
  v: s.oneOf(evidenceTag),
  logged_keys: s.optional(s.nested("logged_keys", loggedKeysShape)),
  first_keys: s.optional(s.nested("first_keys", firstKeysShape)),
  agreement: s.optional(s.nested("agreement", agreedShape))
}

/** Reads what a service answers, or what was saved of it. Throws `Malformed` naming the wrong member, `Newer` for a later version. */
export const parseEvidence = (json: string): EvidenceDocument =>
  s.readShape("the evidence", parseJson(json), evidenceShape)
