/** The sync committee after one, as that one signed it: so a reader who trusts one committee comes to those after it. */
import { fromHex } from "../bytes.ts"
import { demand } from "../check.ts"
import * as s from "../shape.ts"
import { type Attested, attestedMembers, type Committee, demandAttested, periodOf } from "./attested.ts"
import { type Beacon, forkAt } from "./beacon.ts"
import { demandBranch } from "./ssz.ts"

export interface NextCommittee extends Attested {
  /** Its root, hex: the next document has its keys. */
  readonly committee: string
  /** From there to the attested state. */
  readonly branch: ReadonlyArray<string>
}

export const nextCommittee = s.nested<NextCommittee>("the next committee", {
  ...attestedMembers,
  committee: s.hash,
  branch: s.listOf(s.hash)
})

/** Whether all that a committee signed there is of its own period: a state of another one names another committee. */
export const isOfOnePeriod = ({ attested, finalized, signature_slot }: Attested): boolean =>
  periodOf(attested.slot) === periodOf(signature_slot) &&
  periodOf(finalized.slot) === periodOf(signature_slot)

/** Throws `Malformed` unless the committee signed who is in the next one, in a state that is not to be undone. */
export const demandNext = (next: NextCommittee, committee: Committee, beacon: Beacon): void => {
  demand(isOfOnePeriod(next), "the next committee is told by a block of another period", "contradiction")
  demandAttested(next, committee, beacon)
  demandBranch(
    "the next committee",
    fromHex(next.committee),
    next.branch,
    forkAt(beacon, next.attested.slot).next,
    fromHex(next.attested.state_root)
  )
}

/** Periods that documents may lead on from one that a reader named: about five weeks. */
export const mostPeriods = 32

/** What a document says of committees: the root of the block that a reader may name, and of its committee, and of the next. */
export interface Named {
  readonly root: string
  readonly period: number
  readonly committee: string
  readonly next: string | undefined
}

/** How many periods lead from a block that the reader named to the committee of a document; undefined where none do. */
export const periodsTo = (
  target: Named,
  before: ReadonlyArray<Named>,
  trusted: ReadonlyArray<string>
): number | undefined => {
  const all = [...before, target].toSorted((a, b) => a.period - b.period)
  const believed = new Map<number, { readonly committee: string; readonly steps: number }>()
  for (const { committee, period, root } of all)
    if (trusted.includes(root)) believed.set(period, { committee, steps: 0 })
  for (const { committee, next, period } of all) {
    const by = believed.get(period)
    if (
      by?.committee === committee &&
      next !== undefined &&
      by.steps < mostPeriods &&
      !believed.has(period + 1)
    )
      believed.set(period + 1, { committee: next, steps: by.steps + 1 })
  }
  const by = believed.get(target.period)
  return by?.committee === target.committee ? by.steps : undefined
}
