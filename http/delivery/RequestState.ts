/** State shared by the parts that handle one request; `deliver` makes one for each. */
import { Context, Effect } from "effect"
import type { Caller } from "../../core/credits/Callers.ts"
import type { Cost } from "../../core/credits/meter.ts"
import type { CacheValidators } from "../../core/readings/read/Versions.ts"
import type { Place } from "../admission/queue.ts"
import type { CachePolicy } from "./answer.ts"

export type InTurn = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  slot: Place["slot"],
  crowded: () => A
) => Effect.Effect<A, E, R>

export interface RequestState {
  /**
   * What the response depends on, as of before its handler read anything; set by the endpoint's contract. Undefined: the
   * response is not cached.
   */
  validators: CacheValidators | undefined
  /** The same for a 404. */
  notFoundValidators: CacheValidators | undefined
  /** How long others may keep the response. */
  cachePolicy: CachePolicy
  /** When it expires at the latest, in epoch milliseconds of the data clock. */
  until: number
  /** Who called, if that was looked up for this call before. */
  caller: Caller | undefined
  /** Charges the caller, as its verdict does. */
  charge: ((cost: Cost) => void) | undefined
  /**
   * Does work of the caller in its turn, as the queue has it; gives `crowded` at once if too many of its network wait. For
   * routes of another protocol, which know when their work begins. Undefined: the work waits for nobody.
   */
  inTurn: InTurn | undefined
  /** Headers to add to those of the handler. */
  headers: Readonly<Record<string, string>>
}

export const RequestState = Context.Reference<RequestState>("http/delivery/RequestState", {
  defaultValue: () => fresh()
})

export const fresh = (): RequestState => ({
  validators: undefined,
  notFoundValidators: undefined,
  cachePolicy: undefined,
  until: Number.POSITIVE_INFINITY,
  caller: undefined,
  charge: undefined,
  inTurn: undefined,
  headers: {}
})

/** Limits the validity of the current response to a time of the data clock. */
export const holdsUntil = (until: number): Effect.Effect<void> =>
  Effect.map(RequestState, (state) => {
    state.until = until
  })
