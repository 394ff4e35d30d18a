/** A bounded window of listening on a WebSocket. */
import type { Socket } from "node:net"
import { Duration, Effect } from "effect"
import { type Agent, WebSocket } from "undici"
import { guarded } from "../../core/data/guarded.ts"
import type { UpstreamLimits } from "./limits.ts"
import { TransportError } from "./TransportError.ts"
import { troubleOf } from "./trouble.ts"

export interface Listening {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Sent as one text frame once connected. */
  readonly send: string | undefined
  readonly window: { readonly seconds: number; readonly messages: number }
}

/** Makes the agent of one WebSocket, which tells of the socket that it opened, or why it could not. */
export type AgentWith = (onSocket: (socket: Socket | Error) => void) => Agent

/** An open socket and what has arrived on it so far. */
interface Heard {
  readonly messages: Array<Buffer>
  bytes: number
  /** Why no more will come: the window is full, or the other side is gone. */
  ended: string | undefined
  /** Why there was no connection at all. */
  trouble: TransportError | undefined
  /** Told once, when `ended` is set or the connection stands. */
  tell: () => void
}

/**
 * The messages of one window, each on a line of its own: text frames as they are, binary frames as the UTF-8 text they
 * hold. The window ends at its time, at its number of messages or at `bytes`, whichever comes first, or when the
 * other side closes. A window without a message is `TransportError`: silence cannot be distinguished from a broken feed.
 */
export const listen = (
  listening: Listening,
  agentWith: AgentWith,
  limits: UpstreamLimits
): Effect.Effect<Buffer, TransportError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const seconds = Math.min(listening.window.seconds, limits.window.seconds)
      const { heard, socket } = yield* open(listening, agentWith, limits)
      yield* standing(heard, socket).pipe(
        Effect.timeoutOrElse({
          duration: limits.timeout,
          orElse: () =>
            Effect.fail(
              new TransportError({
                kind: "slow",
                detail: `no connection within ${Duration.format(Duration.fromInputUnsafe(limits.timeout))}`
              })
            )
        })
      )
      if (listening.send !== undefined && heard.ended === undefined) {
        const text = listening.send
        yield* Effect.sync(() => socket.send(text))
      }
      yield* ended(heard).pipe(Effect.timeoutOption(Duration.seconds(seconds)))
      if (heard.trouble !== undefined) return yield* heard.trouble
      if (heard.messages.length === 0) {
        return yield* heard.ended === undefined
          ? new TransportError({ kind: "slow", detail: `no message within ${seconds} s` })
          : new TransportError({ kind: "broken", detail: `${heard.ended} before the first message` })
      }
      return Buffer.concat(heard.messages.flatMap((message) => [message, newline]))
    })
  )

const newline = Buffer.from("\n")

const open = (listening: Listening, agentWith: AgentWith, limits: UpstreamLimits) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const heard: Heard = { messages: [], bytes: 0, ended: undefined, trouble: undefined, tell: () => {} }
      const sockets = new Set<Socket>()
      const agent = agentWith((connected) => {
        if (connected instanceof Error) heard.trouble = troubleOf(connected, new URL(listening.url).host)
        else sockets.add(connected)
      })
      const socket = new WebSocket(listening.url, { dispatcher: agent, headers: { ...listening.headers } })
      socket.binaryType = "arraybuffer"
      const end = (why: string) => {
        if (heard.ended !== undefined) return
        heard.ended = why
        // Closing politely would leave a flood running until the other side agrees.
        for (const connected of sockets) connected.destroy()
        heard.tell()
      }
      const most = Math.min(listening.window.messages, limits.window.messages)
      const failed = () => end("the connection failed")
      socket.addEventListener(
        "open",
        guarded("a WebSocket", () => heard.tell(), failed)
      )
      socket.addEventListener(
        "close",
        guarded("a WebSocket", () => end("the connection was closed"))
      )
      socket.addEventListener(
        "error",
        guarded("a WebSocket", ({ message }) => end(message || "the connection failed"))
      )
      socket.addEventListener(
        "message",
        guarded(
          "a WebSocket",
          ({ data }: { readonly data: unknown }) => {
            if (heard.ended !== undefined) return
            const message = oneLine(Buffer.from(data as string | ArrayBuffer as string))
            if (heard.bytes + message.length > limits.window.bytes) return end("the window is full")
            heard.messages.push(message)
            heard.bytes += message.length
            if (heard.messages.length >= most) end("the window is full")
          },
          failed
        )
      )
      return { heard, socket, agent, sockets }
    }),
    ({ agent, heard, sockets }) =>
      // biome-ignore lint/plugin/promise: closes connections, which does not reject
      Effect.promise(() => {
        heard.ended ??= "the window is over"
        for (const connected of sockets) connected.destroy()
        return agent.destroy()
      })
  )

const standing = (heard: Heard, socket: WebSocket) =>
  until(heard, () => heard.ended !== undefined || socket.readyState === socket.OPEN)

const ended = (heard: Heard) => until(heard, () => heard.ended !== undefined)

const until = (heard: Heard, done: () => boolean): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const look = () => {
      if (done()) resume(Effect.void)
    }
    heard.tell = look
    look()
  })

/** A message that is JSON over several lines becomes one line: JSON has raw line breaks only between its tokens. */
const oneLine = (message: Buffer): Buffer =>
  message.includes(0x0a) || message.includes(0x0d)
    ? Buffer.from(message.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)))
    : message
