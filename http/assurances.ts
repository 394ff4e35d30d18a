/** What is so of this service: whoever says that somebody vouches for it, or that something can be asked of it, asks here. */
import { Effect } from "effect"
import { vouchedFor } from "../core/log/record/vouched.ts"
import { type ComparedDay, comparedLately } from "../core/readings/read/agreementCounts.ts"
import { drawnOutcomes } from "../core/readings/recheck/drawnOutcomes.ts"
import { HttpSettings } from "./HttpSettings.ts"
import { Operator, type OperatorDetails } from "./Operator.ts"
import { Vouching } from "./Vouching.ts"

export interface Assurances {
  readonly mode: "live" | "replay" | "mapped"
  readonly operator: OperatorDetails
  readonly vouching: Vouching
  /** A block of Bitcoin has a head of the log. */
  readonly isAnchored: boolean
  /** A witness that the operator names has cosigned a head. */
  readonly isCosigned: boolean
  /** The newest compared day. */
  readonly compared: ComparedDay | undefined
  /** Whether a source can be asked again: simulated values have none. */
  readonly canAskAgain: boolean
  /** Whether a mistake can be reported: there is an address. */
  readonly canReport: boolean
}

export const assurances = Effect.gen(function* () {
  const { mode } = yield* HttpSettings
  const operator = yield* Operator
  const vouching = yield* yield* Vouching
  const vouched = yield* vouchedFor
  return {
    mode,
    operator,
    vouching,
    isAnchored: vouched.anchor !== undefined,
    isCosigned: vouching.witnesses.some(({ vkey }) =>
      vouched.witnesses.some(({ witness }) => witness === vkey)
    ),
    compared: yield* comparedLately,
    canAskAgain: mode !== "replay",
    canReport: operator.email !== undefined
  } satisfies Assurances
})

/** What became of the daily lot in the last week; null where none fell. */
export const lotLately = Effect.map(drawnOutcomes, (lately) => lately ?? null)

type Dated = Pick<Assurances, "isAnchored" | "isCosigned" | "mode">

/** What others do with the heads of the log, as it follows "its head is signed" in plain text. */
export const headsInWords = ({ isAnchored, isCosigned, mode }: Dated): string => {
  const witnesses = mode === "replay" ? "a simulated witness" : "witnesses"
  if (isCosigned && isAnchored) return `cosigned by ${witnesses} and put into Bitcoin`
  if (isCosigned) return `cosigned by ${witnesses}; no block of Bitcoin has one yet`
  return isAnchored
    ? "put into Bitcoin; no witness cosigns it"
    : "which no witness cosigns and no block of Bitcoin has yet"
}
