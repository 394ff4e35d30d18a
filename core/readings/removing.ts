/**
 * The one way to remove what is kept for a time. It takes two looks at a trusted clock, a day apart: what was due at the
 * first is removed at the second, if it is still due by then. The first is noted in the database, so a restart neither
 * shortens nor repeats the day.
 */
import { Clock, Effect, Option } from "effect"
import * as DataClock from "../clock/DataClock.ts"
import { day } from "../plugin/time.ts"
import { storedFact, storeFact } from "../sql/keyValue.ts"
import { ifTrusted } from "./TrustedClock.ts"

/** Between the two looks, in milliseconds. */
const notice = day

/** When what is removed now was due at the latest: a day ago. Epoch milliseconds. */
export interface Due {
  /** By the wall clock. */
  readonly wall: number
  /** By the clock of the data. */
  readonly data: number
}

/** Does `work`, which removes what was due a day ago; none if nothing may be removed yet. `what` names its note. */
export const removing = <A, E, R>(what: string, work: (due: Due) => Effect.Effect<A, E, R>) =>
  Effect.map(
    ifTrusted(
      Effect.gen(function* () {
        const name = `removal_due:${what}`
        const now = yield* Clock.currentTimeMillis
        const noted = Number((yield* storedFact(name)) ?? Number.NaN)
        const age = now - noted
        if (age >= 0 && age < notice) return Option.none<A>()
        // A note of later than now was made by a clock that was wrong: the day begins anew.
        const done =
          age >= notice
            ? Option.some(yield* work({ wall: noted, data: noted + (yield* DataClock.offset) }))
            : Option.none<A>()
        yield* storeFact(name, String(now))
        return done
      })
    ),
    Option.flatten
  )
