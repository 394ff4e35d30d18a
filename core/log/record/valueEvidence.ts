/** What was checked of one published value, and by whom: the facts that the lamps beside it say. */
import { Effect, Option } from "effect"
import { parseRunLeaf } from "../../proof/runLeaf.ts"
import type { Counts } from "../../readings/read/agreementCounts.ts"
import { type AskedAgain, askedAgain } from "../../readings/recheck/askedAgain.ts"
import type { Anchor } from "../../wire/log/anchor.ts"
import { Log } from "../Log.ts"
import { agreedOf } from "./agreed.ts"
import { type ChainState, chainState } from "./chainState.ts"
import { observedValue } from "./observedValue.ts"
import type { PublishedValue } from "./shortAddress.ts"

export interface ValueEvidence {
  /** The day whose batch has it. */
  readonly batch_day: string
  /** Undefined where its source was not asked about this reading again. */
  readonly again: AskedAgain | undefined
  /** Undefined where no comparison of this version is in the log. */
  readonly agreement: Counts | undefined
  /** The answers that the run read, and how many of them a notary stated; undefined where the log does not have the run. */
  readonly notarised: { readonly answers: number; readonly stated: number } | undefined
  readonly anchor: Anchor
  readonly chain: ChainState
}

const notarisedIn = (leaf: string) => {
  const run = parseRunLeaf(leaf)
  if (run.outcome === "skipped") return undefined
  const { exchanges } = run
  return {
    answers: exchanges.length,
    stated: exchanges.filter(({ notes }) => notes.length > 0).length
  }
}

const withoutRun: ChainState = { state: "none", why: "the log does not have the run that gave it" }

export const valueEvidence = Effect.fn("Log.valueEvidence")(function* ({
  anchor,
  batch_day,
  row,
  series
}: PublishedValue) {
  const { size } = yield* (yield* Log).served
  const observed = Option.getOrUndefined(yield* observedValue(series, row, size))
  const evidence: ValueEvidence = {
    batch_day,
    again: yield* askedAgain(series, row),
    agreement: Option.getOrUndefined(yield* agreedOf(series, row, batch_day, size)),
    notarised: observed && notarisedIn(observed.leaf),
    anchor,
    chain: observed === undefined ? withoutRun : yield* chainState(observed.leaf, row)
  }
  return evidence
})
