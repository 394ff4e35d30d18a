/** Connects to a host and carries bytes both ways, with a copy of them. */
import { connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Clock, Data, Effect } from "effect"
import { guarded } from "../../core/process/guarded.ts"
import type { Recording, Way } from "./Recording.ts"

/** The host cannot be connected to. */
export class HostUnreachable extends Data.TaggedError("HostUnreachable")<{ readonly message: string }> {}

/** Where to connect to. */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** A connection to the host; the caller closes it. */
export const dial = ({ host, port }: Endpoint): Effect.Effect<Socket, HostUnreachable> =>
  Effect.callback((resume) => {
    // The collector may end its side before the answer is there.
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true })
    // For good: an error without a listener would end the process.
    socket.on(
      "error",
      guarded("connecting to a host", ({ message }: Error) =>
        resume(Effect.fail(new HostUnreachable({ message })))
      )
    )
    socket.once("connect", () => resume(Effect.succeed(socket)))
    return Effect.sync(() => socket.destroy())
  })

/** Passes on what comes from one side, as fast as the other takes it. */
const pass = (from: Duplex, to: Duplex, see: (bytes: Buffer) => void, over: () => void): void => {
  const resume = guarded("carrying a session", () => from.resume())
  from.on(
    "data",
    guarded(
      "carrying a session",
      (bytes: Buffer) => {
        see(bytes)
        if (to.write(bytes)) return
        from.pause()
        // biome-ignore lint/plugin/callback: guarded above
        to.once("drain", resume)
      },
      over
    )
  )
  from.on(
    "end",
    guarded("carrying a session", () => to.end())
  )
  from.on(
    "error",
    guarded("carrying a session", () => from.destroy())
  )
  // What it still had to say has been read, and the other side may not have taken it yet.
  from.on(
    "close",
    guarded("carrying a session", () => (to.writableFinished || to.destroyed ? over() : to.end(over)), over)
  )
}

/** Carries a session until both sides are gone, and copies what passes. Both are closed then. */
export const carry = Effect.fnUntraced(function* (collector: Duplex, host: Duplex, recording: Recording) {
  const clock = yield* Clock.Clock
  const see = (way: Way) => (bytes: Buffer) => recording.add(way, bytes, clock.currentTimeMillisUnsafe())
  yield* Effect.callback<void>((resume) => {
    const over = () => resume(Effect.void)
    pass(collector, host, see("toHost"), over)
    pass(host, collector, see("fromHost"), over)
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        collector.destroy()
        host.destroy()
      })
    )
  )
})
