/** A clock that was set wrong: the wall clock is ahead by so much, and the monotonic one is not. */
import { Clock, Effect } from "effect"

export const shiftedClock = (outside: Clock.Clock, ahead: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => outside.currentTimeMillisUnsafe() + ahead,
  currentTimeMillis: Effect.map(outside.currentTimeMillis, (ms) => ms + ahead),
  currentTimeNanosUnsafe: () => outside.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n,
  currentTimeNanos: Effect.map(outside.currentTimeNanos, (nanos) => nanos + BigInt(ahead) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => outside.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: outside.monotonicTimeNanos,
  sleep: (duration) => outside.sleep(duration)
})

/** Does something by a clock that is ahead, or behind if `ahead` is negative; milliseconds. */
export const ahead =
  (ms: number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.Clock, (clock) => Effect.provideService(work, Clock.Clock, shiftedClock(clock, ms)))
