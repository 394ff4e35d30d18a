/** What the kinds of traffic of the property share. Each kind is a file beside this one. */
import { type Array as Arr, Clock, Duration, Effect } from "effect"

/** One run of the property: a name of its own in the database that all runs share, and its accounts. */
export interface Run {
  readonly name: string
  readonly accounts: Arr.NonEmptyReadonlyArray<string>
  readonly clock: PretendClock
}

/** Time that passes only by sleeping, and then faster: who waits for a driver that is gone outlives its lease. */
export const makeClock = () => {
  let now = Date.UTC(2026, 8, 1)
  const pass = (millis: number) => {
    now += millis
  }
  const nanos = () => BigInt(now) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.andThen(
        Effect.sync(() => pass(10 * Duration.toMillis(duration))),
        Effect.yieldNow
      )
  }
  return { pass, under: Effect.provideService(Clock.Clock, clock) }
}

export type PretendClock = ReturnType<typeof makeClock>
