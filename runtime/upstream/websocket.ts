/** A bounded window of listening on a WebSocket. */
import type { Socket } from "node:net"
import { Duration, Effect } from "effect"
import { type Agent, WebSocket } from "undici"
import { guarded } from "../../core/process/guarded.ts"
import type { UpstreamLimits } from "./limits.ts"
import { TransportError } from "./TransportError.ts"
import { toTransportError } from "./toTransportError.ts"

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
interface Inbox {
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
      const { inbox, socket } = yield* open(listening, agentWith, limits)
      yield* connected(inbox, socket).pipe(
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
      if (listening.send !== undefined && inbox.ended === undefined) {
        const text = listening.send
        yield* Effect.sync(() => socket.send(text))
      }
      yield* ended(inbox).pipe(Effect.timeoutOption(Duration.seconds(seconds)))
      if (inbox.trouble !== undefined) return yield* inbox.trouble
      if (inbox.messages.length === 0) {
        return yield* inbox.ended === undefined
          ? new TransportError({ kind: "slow", detail: `no message within ${seconds} s` })
          : new TransportError({ kind: "broken", detail: `${inbox.ended} before the first message` })
      }
      return Buffer.concat(inbox.messages.flatMap((message) => [message, newline]))
    })
  )

const newline = Buffer.from("\n")

const open = (listening: Listening, agentWith: AgentWith, limits: UpstreamLimits) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const inbox: Inbox = { messages: [], bytes: 0, ended: undefined, trouble: undefined, tell: () => {} }
      const sockets = new Set<Socket>()
      const agent = agentWith((connected) => {
        if (connected instanceof Error)
          inbox.trouble = toTransportError(connected, new URL(listening.url).host)
        else sockets.add(connected)
      })
      const socket = new WebSocket(listening.url, { dispatcher: agent, headers: { ...listening.headers } })
      socket.binaryType = "arraybuffer"
      const end = (why: string) => {
        if (inbox.ended !== undefined) return
        inbox.ended = why
        // Closing politely would leave a flood running until the other side agrees.
        for (const connected of sockets) connected.destroy()
        inbox.tell()
      }
      const most = Math.min(listening.window.messages, limits.window.messages)
      const failed = () => end("the connection failed")
      socket.addEventListener(
        "open",
        guarded("a WebSocket", () => inbox.tell(), failed)
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
            if (inbox.ended !== undefined) return
            const message = oneLine(Buffer.from(data as string | ArrayBuffer as string))
            if (inbox.bytes + message.length > limits.window.bytes) return end("the window is full")
            inbox.messages.push(message)
            inbox.bytes += message.length
            if (inbox.messages.length >= most) end("the window is full")
          },
          failed
        )
      )
      return { inbox, socket, agent, sockets }
    }),
    ({ agent, inbox, sockets }) =>
      // biome-ignore lint/plugin/promise: closes connections, which does not reject
      Effect.promise(() => {
        inbox.ended ??= "the window is over"
        for (const connected of sockets) connected.destroy()
        return agent.destroy()
      })
  )

const connected = (inbox: Inbox, socket: WebSocket) =>
  until(inbox, () => inbox.ended !== undefined || socket.readyState === socket.OPEN)

const ended = (inbox: Inbox) => until(inbox, () => inbox.ended !== undefined)

const until = (inbox: Inbox, done: () => boolean): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const look = () => {
      if (done()) resume(Effect.void)
    }
    inbox.tell = look
    look()
  })

/** A message that is JSON over several lines becomes one line: JSON has raw line breaks only between its tokens. */
const oneLine = (message: Buffer): Buffer =>
  message.includes(0x0a) || message.includes(0x0d)
    ? Buffer.from(message.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)))
    : message
