/** How long an answer of `as_known_at` may be kept. */
import { Effect } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { parseTime } from "../../core/plugin/Value.ts"
import { dateOf, lastClosedDay } from "../../core/readings/read/days.ts"
import { orProblem } from "../problems/fromCore.ts"
import { holdsUntil } from "./RequestState.ts"

/** How long an answer about an open day holds, in milliseconds. */
const openDayTtl = 10_000

/**
 * An answer about a day that is closed never changes. A later time may still gain a run that ended before and is being
 * stored, so an answer about it is made again after ten seconds.
 */
export const expireWhileDayOpen = Effect.fnUntraced(function* (as_known_at: string | undefined) {
  const at = as_known_at === undefined ? undefined : parseTime(as_known_at)
  if (at === undefined) return
  const closed = yield* orProblem(lastClosedDay())
  if (closed === undefined || dateOf(at) > closed) yield* holdsUntil((yield* DataClock.now) + openDayTtl)
})
