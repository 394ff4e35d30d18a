/** When a monitor looked at a log, and what was not there yet: nobody but those who watch can date what an operator enters. */
import { Malformed } from "../../../../../core/proof/bytes.ts"
import * as s from "../../../../../core/proof/shape.ts"
import { minute } from "../../../../../core/proof/time.ts"

/** The last look at which the log had so many entries. */
export interface PastLook {
  readonly size: number
  /** When the look began, by the monitor's clock. */
  readonly at: string
}

export const lookShape: s.Shape<PastLook> = { size: s.count, at: s.time }

/** How much older than the last look an entry may be that it did not see, in milliseconds. */
export const unseenFor = 15 * minute

/** Looks that are remembered while something that was found keeps the state from moving on. */
const mostLooks = 1000

/** The looks after another one: all since the entries that are not checked yet, and the last one before these. */
export const withLook = (
  looks: ReadonlyArray<PastLook>,
  look: PastLook,
  checked: number
): ReadonlyArray<PastLook> => {
  const all = [...looks.filter(({ size }) => size !== look.size), look]
  const before = all.findLastIndex(({ size }) => size <= checked)
  return all.slice(Math.max(before, 0)).slice(-mostLooks)
}

/** Throws `Malformed` if an entry at a place says that it is older than a look at which it was not there. */
export const demandUnseen = (looks: ReadonlyArray<PastLook>, place: number, time: string): void => {
  const last = looks.findLast(({ size }) => size <= place)
  if (last !== undefined && Date.parse(time) <= Date.parse(last.at) - unseenFor)
    throw new Malformed(
      `its time is ${time}, and at ${last.at} the log had ${last.size} entries without it: it was entered later than it says, or held back`,
      "time"
    )
}
