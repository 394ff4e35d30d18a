/** What code may do at most while it is executed: a verifier must always finish. */
import { demand } from "../check.ts"

/** A view of a token takes a few hundred steps. */
export const most = {
  /** Of all calls of a proof together. */
  steps: 200_000,
  /** Bytes of one call's memory. */
  memory: 1 << 20,
  /** Calls in one another. */
  depth: 16,
  stack: 1024
} as const

/** What an instruction takes beside the one step that each takes, about as its gas is on chains. */
export const cost = {
  power: 64,
  hash: 6,
  slot: 20,
  account: 25
} as const

/** Steps that are left. */
export interface Meter {
  /** Throws `Malformed` where they are spent. */
  readonly spend: (steps: number) => void
  readonly spent: () => number
}

/** A meter that allows so many steps. */
export const meterOf = (allowed: number = most.steps): Meter => {
  let spent = 0
  return {
    spend: (steps) => {
      spent += steps
      demand(spent <= allowed, `code that is executed must take at most ${allowed} steps`)
    },
    spent: () => spent
  }
}
