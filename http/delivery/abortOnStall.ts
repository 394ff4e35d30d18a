/** Gives up on readers that stall, so they do not hold resources forever. */
import { type Duration, Effect, FiberHandle, Stream } from "effect"

/** The same stream, but a reader that requests nothing for this long is given up. */
export const abortOnStall = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  after: Duration.Input,
  giveUp: Effect.Effect<void>
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.map(FiberHandle.make(), (waiting) =>
      // Each read restarts the timer; the end of the stream cancels it.
      Stream.tap(stream, () =>
        FiberHandle.run(waiting, Effect.delay(giveUp, after), { startImmediately: true })
      )
    )
  )
