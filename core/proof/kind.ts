/**
 * What a kind of evidence is: a definition that the bundle's reader, verifier, steps and options fold over. `test/proof/bundle4.test.ts`
 * holds the monitor and the formats page to it.
 */
import type { Body } from "./body.ts"
import type { ChainChecks, ChainEvidence, FinalityChecks } from "./chainEvidence.ts"
import type { Check } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import type { BatchEntry } from "./entry.ts"
import type { FirstKeys, RunEvidence } from "./evidence.ts"
import type { Leaf } from "./leaf.ts"
import type { NotaryPolicy } from "./notaryPolicy.ts"
import type { Shape } from "./shape.ts"
import type { Signed } from "./verifyAgreed.ts"

/** What every bundle has, of whatever version. A part that could not be read, or does not hold, is undefined. */
export interface Spine {
  readonly leaf: Leaf | undefined
  readonly batch: BatchEntry | undefined
  /** Place of the batch's entry in the log. */
  readonly batchIndex: number
  readonly checkpoint: Checkpoint | undefined
  readonly signed: Signed | undefined
  /** Evidence that other evidence is about: a body is of an exchange of the run, and signatures are of the block of a chain's proof. */
  readonly beside: { readonly run?: RunEvidence; readonly body?: Body; readonly chain?: ChainEvidence }
  /** What says that the log had no keys by then. */
  readonly firstKeys: FirstKeys | undefined
  /** What the caller asked for beyond the spine. */
  readonly demands: {
    readonly notaries?: NotaryPolicy | undefined
    /** The hour of the log's first document of runs, as the caller remembers it. */
    readonly runsFrom?: string | undefined
    /** What checks proofs of chains: given where there is one (`chainsFor`). */
    readonly chains?: ChainChecks | undefined
    /** What checks who signed their blocks, given with it. */
    readonly finality?: FinalityChecks | undefined
  }
}

/** The steps that a reader is shown, in their order. */
export const stepTitles = [
  "Leaf",
  "Incident",
  "Run",
  "State of its chain",
  "Block of its chain",
  "Batch",
  "Log",
  "Head",
  "Witnesses",
  "Notaries",
  "Other operators",
  "Bitcoin"
] as const

export type StepTitle = (typeof stepTitles)[number]

export interface Kind<
  Name extends string,
  A extends object,
  CheckName extends string,
  Option extends string = string
> {
  /** Its name in the list, in lower case. */
  readonly kind: Name
  /** Of its members. A version that a verifier does not know is not checked by it. */
  readonly v: number
  /** Its members beside `kind` and `v`, exactly. */
  readonly shape: Shape<A>
  /** `member` is undefined where the bundle has none of it: then absence is what the checks tell. */
  verify(member: A | undefined, spine: Spine): ReadonlyArray<Check<CheckName>>
  /** The step that shows each of its checks: none is left out. */
  readonly steps: Readonly<Record<CheckName, StepTitle>>
  /** Options of the command that ask for it. */
  readonly options: ReadonlyArray<Option>
}

/** A definition, with its members and the names of its checks as given. */
export const kind = <
  const Name extends string,
  A extends object,
  const CheckName extends string,
  const Option extends string = never
>(
  definition: Kind<Name, A, CheckName, Option>
): Kind<Name, A, CheckName, Option> => definition
