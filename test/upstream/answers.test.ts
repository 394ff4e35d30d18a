/** What the live form makes of good answers and of bad ones. Every server here stands behind `UPSTREAM_MAP`. */
import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"
import * as zlib from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { get, pair } from "./stand-in.ts"

describe("an answer", () => {
  it.effect("becomes an exchange under the address that was asked for", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => {
        answer.writeHead(200, { "content-type": "application/json", "x-other": "1", "set-cookie": "a=b" })
        answer.end('{"nodes":5}')
      })
      const result = yield* exchange(get())
      const { date, ...headers } = result.headers
      assert.strictEqual(result.request.url, "https://api.sample.test/v1/summary")
      assert.strictEqual(result.status, 200)
      assert.isString(date)
      assert.deepStrictEqual(headers, { "content-type": "application/json" })
      assert.strictEqual(Buffer.from(result.body).toString(), '{"nodes":5}')
      assert.strictEqual(result.sha256, createHash("sha256").update('{"nodes":5}').digest("hex"))
      assert.strictEqual(requests[0]?.url, "/v1/summary")
      assert.strictEqual(requests[0]?.headers.host, "api.sample.test")
      assert.strictEqual(requests[0]?.headers["accept-encoding"], "gzip")
      assert.match(
        requests[0]?.headers["user-agent"] ?? "",
        /^plumbline\/\d+\.\d+\.\d+ \(\+https:\/\/plumbline\.test\)$/
      )
    })
  )

  it.effect("is asked for with the plugin's own User-Agent where it has one", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => answer.end("{}"))
      yield* exchange({ ...get(), headers: { "User-Agent": "other/1", Host: "evil.test" } })
      assert.strictEqual(requests[0]?.headers["user-agent"], "other/1")
      assert.strictEqual(requests[0]?.headers.host, "api.sample.test")
    })
  )

  it.effect("to a POST carries the body that was sent", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => answer.end("{}"))
      const result = yield* exchange({ ...get(), method: "POST", body: '{"q":1}' })
      assert.strictEqual(requests[0]?.method, "POST")
      assert.strictEqual(requests[0]?.body, '{"q":1}')
      assert.strictEqual(result.request.body, '{"q":1}')
    })
  )

  it.effect.each([
    ["gzip", zlib.gzipSync],
    ["br", zlib.brotliCompressSync],
    ["zstd", zlib.zstdCompressSync],
    ["deflate", zlib.deflateSync]
  ] as const)("in %s is decoded", ([coding, compress]) =>
    Effect.gen(function* () {
      const { exchange } = yield* pair((answer) => {
        answer.writeHead(200, { "content-encoding": coding })
        answer.end(compress("a body that is worth it"))
      })
      assert.strictEqual(Buffer.from((yield* exchange(get())).body).toString(), "a body that is worth it")
    })
  )

  it.effect("of HTML and one of status 404 are answers too: the plugin judges them", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => {
        answer.writeHead(404, { "content-type": "text/html" })
        answer.end("<html>no</html>")
      })
      const result = yield* exchange(get())
      assert.strictEqual(result.status, 404)
      assert.strictEqual(result.headers["content-type"], "text/html")
      assert.lengthOf(requests, 1)
    })
  )
})

/** Gives the failure's text. */
const failure = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("no answer", () => {
  it.effect("comes from one that hangs before its headers", () =>
    Effect.gen(function* () {
      const { arrived, requests, exchange } = yield* pair(() => {})
      const fiber = yield* Effect.forkChild(failure(exchange(get())))
      yield* arrived
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(
        yield* Fiber.join(fiber),
        "GET https://api.sample.test/v1/summary: no answer within 30s"
      )
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("comes from one that hangs in its body", () =>
    Effect.gen(function* () {
      const { arrived, exchange } = yield* pair((answer) => {
        answer.writeHead(200, { "content-length": "100" })
        answer.write("half")
      })
      const fiber = yield* Effect.forkChild(failure(exchange(get())))
      yield* arrived
      yield* TestClock.adjust("30 seconds")
      assert.include(yield* Fiber.join(fiber), "no answer within 30s")
    })
  )

  it.effect("comes from one that sends a byte at a time without end", () =>
    Effect.gen(function* () {
      const { arrived, exchange } = yield* pair((answer) => {
        const drip = setInterval(() => answer.write("x"), 1)
        answer.on("close", () => clearInterval(drip))
      })
      const fiber = yield* Effect.forkChild(failure(exchange(get())))
      yield* arrived
      yield* TestClock.adjust("30 seconds")
      assert.include(yield* Fiber.join(fiber), "no answer within 30s")
    })
  )

  it.live("is not what a late thread makes of an answer that waits in its socket", () =>
    Effect.gen(function* () {
      const { exchange } = yield* pair(
        (answer) => {
          answer.end("ok")
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
        },
        { limits: { timeout: "1 second" } }
      )
      assert.strictEqual(Buffer.from((yield* exchange(get())).body).toString(), "ok")
    })
  )

  const flood = Buffer.alloc(64 * 1024, "x")
  it.effect("comes from one that floods without end", () =>
    Effect.gen(function* () {
      let closed = false
      const { exchange } = yield* pair(
        (answer) => {
          const pour = () => {
            while (!answer.destroyed && answer.write(flood)) {}
          }
          answer.on("drain", pour)
          answer.on("close", () => {
            closed = true
          })
          pour()
        },
        { limits: { bytes: 1024 * 1024 } }
      )
      assert.include(yield* failure(exchange(get())), "the answer is larger than 1048576 bytes")
      // The connection is given up, not read on in the background.
      while (!closed) yield* Effect.promise(() => new Promise((turn) => setImmediate(turn)))
    })
  )

  it.effect("comes from a flood that decodes to nothing", () =>
    Effect.gen(function* () {
      const nothing = Buffer.concat(Array.from({ length: 1000 }, () => zlib.gzipSync("")))
      const { exchange } = yield* pair(
        (answer) => {
          answer.writeHead(200, { "content-encoding": "gzip" })
          const pour = () => {
            while (!answer.destroyed && answer.write(nothing)) {}
          }
          answer.on("drain", pour)
          pour()
        },
        { limits: { bytes: 1024 * 1024 } }
      )
      assert.include(yield* failure(exchange(get())), "the answer is larger than 1048576 bytes")
    })
  )

  it.effect.each([
    ["gzip", zlib.gzipSync],
    ["br", zlib.brotliCompressSync],
    ["zstd", zlib.zstdCompressSync]
  ] as const)("comes from a bomb of %s", ([coding, compress]) =>
    Effect.gen(function* () {
      const bomb = compress(Buffer.alloc(64 * 1024 * 1024))
      assert.isBelow(bomb.length, 1024 * 1024)
      const { exchange } = yield* pair(
        (answer) => {
          answer.writeHead(200, { "content-encoding": coding })
          answer.end(bomb)
        },
        { limits: { bytes: 1024 * 1024 } }
      )
      assert.include(yield* failure(exchange(get())), "the answer is larger than 1048576 bytes")
    })
  )

  it.effect.each([
    ["a gzip body that is none", { "content-encoding": "gzip" }, "{}", "is damaged"],
    [
      "a gzip body that is cut off",
      { "content-encoding": "gzip" },
      zlib.gzipSync("{}").subarray(0, -6),
      "ends too early"
    ],
    ["a coding that nobody knows", { "content-encoding": "snappy" }, "{}", "unknown content coding snappy"],
    [
      "codings upon codings",
      { "content-encoding": "gzip, gzip, gzip" },
      "{}",
      "more than two content codings"
    ]
  ] as const)("comes from %s", ([, headers, body, detail]) =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => {
        answer.writeHead(200, headers)
        answer.end(body)
      })
      assert.include(yield* failure(exchange(get())), detail)
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("comes from a body shorter than it was said to be", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => {
        answer.socket?.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")
      })
      assert.include(yield* failure(exchange(get())), "api.sample.test")
      assert.lengthOf(requests, 3)
    })
  )

  it.effect("comes from a flood of headers", () =>
    Effect.gen(function* () {
      const { exchange } = yield* pair((answer) => {
        answer.socket?.write("HTTP/1.1 200 OK\r\n")
        answer.socket?.end(`x-flood: ${"y".repeat(1000)}\r\n`.repeat(100))
      })
      assert.include(yield* failure(exchange(get())), "sent too many headers")
    })
  )

  it.effect("is said in words that name the host, without the codes of the platform", () =>
    Effect.gen(function* () {
      const ends: ReadonlyArray<readonly [end: (answer: ServerResponse) => void, words: RegExp]> = [
        [(answer) => answer.socket?.destroy(), /127\.0\.0\.1:\d+ closed the connection before its answer/],
        [
          (answer) => answer.socket?.resetAndDestroy(),
          /127\.0\.0\.1:\d+ closed the connection before its answer/
        ],
        [(answer) => answer.socket?.end("SSH-2.0\r\n"), /127\.0\.0\.1:\d+ sent an answer that is not HTTP$/]
      ]
      for (const [end, pattern] of ends) {
        const { exchange } = yield* pair(end)
        const message = yield* failure(exchange(get()))
        assert.match(message, pattern)
        assert.notMatch(message, /\b(?:UND_ERR|HPE|Z|E[A-Z]{4,})_?[A-Z]*\b|other side closed/)
      }
    })
  )

  it.effect("comes from something that does not speak HTTP", () =>
    Effect.gen(function* () {
      const { exchange } = yield* pair((answer) => answer.socket?.end("SSH-2.0-OpenSSH_9.9\r\n"))
      assert.include(yield* failure(exchange(get())), "sent an answer that is not HTTP")
    })
  )
})
