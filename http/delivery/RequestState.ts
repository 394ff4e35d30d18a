/** State shared by the parts that handle one request; `deliver` makes one for each. */
import { Context, Effect } from "effect"
import type { Caller } from "../../core/credits/Callers.ts"
import type { CacheValidators } from "../../core/readings/read/Versions.ts"
import type { Place } from "../admission/queue.ts"
import type { CachePolicy } from "./answer.ts"

export type InTurn = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  slot: Place["slot"],
  crowded: () => A
) => Effect.Effect<A, E, R>

/** In whose name a request is answered, and how its work waits: fixed before its handler begins. */
export interface Authority {
  /** Who called; undefined if that was not looked up before: then the request's key says it. */
  readonly caller: Caller | undefined
  /**
   * Does work of the caller in its turn, as the queue has it; gives `crowded` at once if too many of its network wait. For
   * routes of another protocol, which know when their work begins. Undefined: the work waits for nobody.
   */
  readonly inTurn: InTurn | undefined
}

export interface RequestState extends Authority {
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
  /** Headers to add to those of the handler. */
  headers: Readonly<Record<string, string>>
}

export const RequestState = Context.Reference<RequestState>("http/delivery/RequestState", {
  defaultValue: () => fresh(ofNobody)
})

const ofNobody: Authority = { caller: undefined, inTurn: undefined }

/** The state of a request that nobody has worked on. */
export const fresh = (authority: Authority): RequestState => ({
  ...authority,
  validators: undefined,
  notFoundValidators: undefined,
  cachePolicy: undefined,
  until: Number.POSITIVE_INFINITY,
  headers: {}
})

/** Limits the validity of the current response to a time of the data clock. */
export const holdsUntil = (until: number): Effect.Effect<void> =>
  Effect.map(RequestState, (state) => {
    state.until = until
  })
