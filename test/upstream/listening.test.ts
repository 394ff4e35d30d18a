/** The window of listening on a WebSocket, against servers that answer badly. Frames are written by hand. */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Request } from "../../core/plugin/Upstream.ts"
import * as Port from "../../core/plugin/Upstream.ts"
import { type Setup, upstream } from "./stand-in.ts"

/** RFC 6455, 5.2: an unmasked frame as a server sends it. */
const frame = (opcode: number, payload: string | Buffer): Buffer => {
  const body = Buffer.from(payload)
  const head =
    body.length < 126
      ? Buffer.from([0x80 | opcode, body.length])
      : Buffer.from([0x80 | opcode, 126, body.length >> 8, body.length & 0xff])
  return Buffer.concat([head, body])
}
const textFrame = (payload: string) => frame(1, payload)
const binaryFrame = (payload: string) => frame(2, payload)
const closeFrame = frame(8, Buffer.from([0x03, 0xe8]))

/** The text of a short masked frame of a client. */
const unmask = (data: Buffer): string => {
  const length = (data[1] ?? 0) & 0x7f
  const mask = data.subarray(2, 6)
  return Buffer.from(data.subarray(6, 6 + length).map((byte, n) => byte ^ (mask[n % 4] ?? 0))).toString()
}

/** A server that accepts every handshake and gives the socket to `then`; `messages` are the frames of the client. */
const server = (then: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const messages: Array<string> = []
      const keys: Array<string | undefined> = []
      const http = createServer((_, answer) => answer.writeHead(404).end())
      http.on("upgrade", (request, socket: Socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.on("data", (data: Buffer) => messages.push(unmask(data)))
        keys.push(request.headers["x-api-key"] as string | undefined)
        const accept = createHash("sha1")
          .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest("base64")
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
        )
        then(socket)
      })
      await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening))
      const { port } = http.address() as AddressInfo
      return { http, sockets, messages, keys, url: new URL(`http://127.0.0.1:${port}`) }
    }),
    ({ http, sockets }) =>
      Effect.promise(async () => {
        for (const socket of sockets) socket.destroy()
        await new Promise((closed) => http.close(closed))
      })
  )

const turn = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

const listening = (window: Request["window"], body?: string): Request => ({
  method: "LISTEN",
  url: "wss://api.sample.test/stream",
  ...(window === undefined ? {} : { window }),
  ...(body === undefined ? {} : { body })
})

const Messages = Schema.Struct({ n: Schema.Int })

const open = Effect.fnUntraced(function* (then: (socket: Socket) => void, setup: Setup = {}) {
  const stand = yield* server(then)
  const live = yield* upstream({ ...setup, map: { "api.sample.test": stand.url } })
  return { ...stand, live, exchange: live.exchange }
})

const failure = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("a listening window", () => {
  it.effect("keeps the messages until their number is reached, one per line, text and binary alike", () =>
    Effect.gen(function* () {
      const { exchange, live } = yield* open((socket) => {
        socket.write(
          Buffer.concat([
            textFrame('{"n":1}'),
            binaryFrame('{"n":\n 2}'),
            textFrame(`{"n":3,"x":"${"y".repeat(1000)}"}`),
            textFrame('{"n":4}')
          ])
        )
      })
      const result = yield* exchange(listening({ seconds: 10, messages: 3 }))
      const lines = Buffer.from(result.body).toString().split("\n")
      assert.deepStrictEqual(lines.slice(0, 2), ['{"n":1}', '{"n":  2}'])
      assert.lengthOf(lines, 4)
      assert.strictEqual(result.status, 101)
      const read = yield* Port.listen(
        "wss://api.sample.test/stream",
        { seconds: 10, messages: 2 },
        Messages
      ).pipe(Effect.provideService(Port.Upstream, live))
      assert.deepStrictEqual(read.body, [{ n: 1 }, { n: 2 }])
    })
  )

  it.effect("sends what the plugin subscribes with, with the key in its place", () =>
    Effect.gen(function* () {
      const { exchange, messages } = yield* open(
        (socket) => socket.on("data", () => socket.write(textFrame("{}"))),
        {
          keys: { SAMPLE_KEY: "secret-12345" },
          manifest: {
            auth: {
              "api.sample.test": { setting: "SAMPLE_KEY", as: { placeholder: "$KEY" }, optional: false }
            }
          }
        }
      )
      const result = yield* exchange(listening({ seconds: 10, messages: 1 }, '{"APIKey":"$KEY"}'))
      assert.strictEqual(messages[0], '{"APIKey":"secret-12345"}')
      assert.strictEqual(result.request.body, '{"APIKey":"$KEY"}')
    })
  )

  it.effect("ends at its time with what came until then", () =>
    Effect.gen(function* () {
      let subscribed = false
      const { exchange, sockets } = yield* open((socket) => {
        socket.write(textFrame("1"))
        socket.on("data", () => {
          subscribed = true
        })
      })
      const fiber = yield* Effect.forkChild(exchange(listening({ seconds: 10, messages: 5 }, "hello")))
      while (!subscribed) yield* turn
      // The frame was on its way before the subscription; some turns let it arrive.
      for (let n = 0; n < 50; n++) yield* turn
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(Buffer.from((yield* Fiber.join(fiber)).body).toString(), "1\n")
      for (const socket of sockets) while (!socket.destroyed && !socket.readableEnded) yield* turn
    })
  )

  it.effect("in which nothing comes is no answer", () =>
    Effect.gen(function* () {
      let subscribed = false
      const { exchange } = yield* open((socket) =>
        socket.on("data", () => {
          subscribed = true
        })
      )
      const fiber = yield* Effect.forkChild(
        failure(exchange(listening({ seconds: 10, messages: 5 }, "hello")))
      )
      while (!subscribed) yield* turn
      yield* TestClock.adjust("10 seconds")
      assert.include(yield* Fiber.join(fiber), "no message within 10 s")
    })
  )

  it.effect("is cut off by its bytes when it is flooded, and the flood's connection ends", () =>
    Effect.gen(function* () {
      let over = false
      const { exchange } = yield* open(
        (socket) => {
          const some = Buffer.concat(Array.from({ length: 100 }, () => textFrame("z".repeat(1000))))
          const pour = () => {
            while (!socket.destroyed && socket.write(some)) {}
          }
          socket.on("drain", pour)
          socket.on("close", () => {
            over = true
          })
          pour()
        },
        { limits: { window: { seconds: 10, messages: 1_000_000, bytes: 100_000 } } }
      )
      const result = yield* exchange(listening({ seconds: 10, messages: 1_000_000 }))
      assert.isAtMost(result.body.length, 101_000)
      assert.isAtLeast(result.body.length, 99_000)
      while (!over) yield* turn
    })
  )

  it.effect("is cut off by its bytes when one message is larger than all of it may be", () =>
    Effect.gen(function* () {
      const { exchange } = yield* open((socket) => socket.write(textFrame("z".repeat(20_000))), {
        limits: { window: { seconds: 10, messages: 10, bytes: 10_000 } }
      })
      assert.include(yield* failure(exchange(listening({ seconds: 10, messages: 5 }))), "LISTEN wss://")
    })
  )

  it.effect("that the other side closes is an answer when something came", () =>
    Effect.gen(function* () {
      const { exchange } = yield* open((socket) => socket.end(Buffer.concat([textFrame("1"), closeFrame])))
      const result = yield* exchange(listening({ seconds: 10, messages: 5 }))
      assert.strictEqual(Buffer.from(result.body).toString(), "1\n")
    })
  )

  it.effect("that the other side closes at once is none", () =>
    Effect.gen(function* () {
      const { exchange } = yield* open((socket) => socket.end(closeFrame))
      assert.include(
        yield* failure(exchange(listening({ seconds: 10, messages: 5 }))),
        "before the first message"
      )
    })
  )

  it.effect("is not opened by a plain HTTP answer, nor over http", () =>
    Effect.gen(function* () {
      const http = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const plain = createServer((_, answer) => answer.end("no"))
          await new Promise<void>((listening) => plain.listen(0, "127.0.0.1", listening))
          return plain
        }),
        (plain) => Effect.promise(() => new Promise((closed) => plain.close(closed)))
      )
      const { port } = http.address() as AddressInfo
      const { exchange } = yield* upstream({
        map: { "api.sample.test": new URL(`http://127.0.0.1:${port}`) }
      })
      assert.include(
        yield* failure(exchange(listening({ seconds: 10, messages: 5 }))),
        "before the first message"
      )
      const plain = { ...listening(undefined), url: "ws://api.sample.test/" }
      assert.include(yield* failure(exchange(plain)), "only wss:// is allowed")
    })
  )
})
