/**
 * The heads that a process follows, in memory. Everybody may read them; only who has the turn gets `write`, one at a time: a slower
 * one would put an older head in the place of a newer one.
 */
import { Effect, Semaphore } from "effect"
import type { Quorum } from "../proof/policy.ts"
import type { ServedHead, SignedHead } from "./heads.ts"

interface Heads {
  /** The newest head. */
  readonly signed: SignedHead
  /** The head that answers name. */
  readonly served: ServedHead
  /** Since when (epoch milliseconds) a signed head waits for cosignatures; undefined if none does. */
  readonly waitingSince: number | undefined
  /** The quorum by which `served` was chosen. */
  readonly appliedQuorum: Quorum | undefined
}

/** Puts new heads in the place of those that it names. */
export type WriteHeads = (heads: Partial<Heads>) => void

export interface FollowedHeads {
  readonly current: () => Heads
  /** Does work that may write, in its turn. */
  readonly inTurn: <A, E, R>(work: (write: WriteHeads) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeFollowedHeads = Effect.fnUntraced(function* (first: Pick<Heads, "served" | "signed">) {
  let heads: Heads = { ...first, waitingSince: undefined, appliedQuorum: undefined }
  const turn = yield* Semaphore.make(1)
  const write: WriteHeads = (next) => {
    heads = { ...heads, ...next }
  }
  return {
    current: () => heads,
    inTurn: (work) => turn.withPermit(Effect.suspend(() => work(write)))
  } satisfies FollowedHeads
})
