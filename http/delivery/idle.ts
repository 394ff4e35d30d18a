/** Readers that stop: what is kept for one would be kept for ever. */
import { type Duration, Effect, FiberHandle, Stream } from "effect"

/** The same stream; a reader that asks for no more of it for this long is given up, once. */
export const givingUp = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  after: Duration.Input,
  giveUp: Effect.Effect<void>
): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.map(FiberHandle.make(), (waiting) =>
      // What is taken waits anew, in place of the wait before; the end of the stream ends the last.
      Stream.tap(stream, () =>
        FiberHandle.run(waiting, Effect.delay(giveUp, after), { startImmediately: true })
      )
    )
  )
