/** A verification as a reader is shown it: a verdict, and the steps that lead to it. */
import { allHold, allProved, type Check } from "../../../../core/proof/check.ts"
import type { Answer } from "../../../../core/proof/questions.ts"

export type Verdict = "holds" | "not proved" | "does not hold"

export interface Step {
  readonly title: string
  /** What this step says about the value, in one sentence. */
  readonly says: string
  readonly checks: ReadonlyArray<Check>
  readonly hashes: ReadonlyArray<readonly [name: string, value: string]>
  /** Where to compare what this browser cannot know. */
  readonly beyond?: { readonly text: string; readonly address: string }
}

export interface Outcome {
  readonly title: string
  readonly verdict: Verdict
  /** Was it altered, by whom was it signed, since when does it exist; none where that is not what was asked. */
  readonly answers: ReadonlyArray<Answer>
  readonly summary: string
  readonly steps: ReadonlyArray<Step>
  /** The command that makes the same checks in a shell. */
  readonly command: string
}

export const verdictOf = (checks: ReadonlyArray<Check>): Verdict =>
  !allHold(checks) ? "does not hold" : allProved(checks) ? "holds" : "not proved"
