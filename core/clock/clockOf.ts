/** A clock that another one sets. */
import { type Clock, Effect } from "effect"

/** Milliseconds of the clock that never jumps. */
export const monotonic = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/**
 * A clock that says the monotonic time of `own` plus the first number of `origin`, in milliseconds; its timers are those of
 * `own`. The threads of a process have one monotonic clock, so a shared `origin` sets the clocks of them all.
 */
export const clockOf = (origin: Float64Array, own: Clock.Clock): Clock.Clock =>
  clockSaying(() => Math.floor((origin[0] ?? 0) + monotonic(own)), own)

/** A clock that says what `through` makes of the time of `own`, in whole milliseconds; its timers are those of `own`. */
export const clockThrough = (through: (millis: number) => number, own: Clock.Clock): Clock.Clock =>
  clockSaying(() => Math.floor(through(own.currentTimeMillisUnsafe())), own)

const clockSaying = (millis: () => number, own: Clock.Clock): Clock.Clock => {
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => own.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: own.monotonicTimeNanos,
    sleep: (duration) => own.sleep(duration)
  }
}
