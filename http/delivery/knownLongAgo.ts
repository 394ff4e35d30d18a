/** How long an answer of `as_known_at` may be kept. */
import { Effect } from "effect"
import * as DataClock from "../../core/data/DataClock.ts"
import { lastClosedDay } from "../../core/data/read/days.ts"
import { parseTime } from "../../core/plugin/Value.ts"
import { orProblem } from "../orProblem.ts"
import { holdsUntil } from "./RequestState.ts"

/** A run that ended before is stored within this time; epoch milliseconds. */
const patience = 10_000

/**
 * An answer about a day that is closed never changes. A later time may still gain what is being stored, so an answer about
 * it holds for ten seconds.
 */
export const knownLongAgo = (as_known_at: string | undefined) =>
  as_known_at === undefined
    ? Effect.void
    : Effect.gen(function* () {
        const closed = yield* orProblem(lastClosedDay())
        const at = parseTime(as_known_at) ?? Number.POSITIVE_INFINITY
        const isClosed = closed !== undefined && new Date(at).toISOString().slice(0, 10) <= closed
        if (!isClosed) yield* holdsUntil((yield* DataClock.now) + patience)
      })
